/**
 * A memory budget for the answers of batches. A batch keeps its answers until the last one is there, so
 * a hundred large ones would exhaust the memory. While the budget is used up, further requests of a
 * batch are refused before they run.
 */

/** In letters; of one batch, and of all that are under way. */
const MAX_OF_ONE = 8 * 1024 * 1024;
const MAX_OF_ALL = 32 * 1024 * 1024;

export class Batches {
  #letters = 0;

  get haveRoom(): boolean {
    return this.#letters < MAX_OF_ALL;
  }

  answers(): BatchAnswers {
    return new BatchAnswers(this);
  }

  count(letters: number): void {
    this.#letters += letters;
  }
}

/** Those of one batch. `leave` must be called once they are sent. */
export class BatchAnswers {
  readonly #batches: Batches;
  readonly #answers: (string | undefined)[] = [];
  #letters = 0;

  constructor(batches: Batches) {
    this.#batches = batches;
  }

  /** Whether there may be another. */
  get haveRoom(): boolean {
    return this.#letters < MAX_OF_ONE && this.#batches.haveRoom;
  }

  /** The answer to the message at this place, if it has one. */
  put(at: number, answer: string | undefined): void {
    this.#answers[at] = answer;
    const letters = answer?.length ?? 0;
    this.#letters += letters;
    this.#batches.count(letters);
  }

  inOrder(): string[] {
    return this.#answers.filter((answer) => answer !== undefined);
  }

  leave(): void {
    this.#batches.count(-this.#letters);
    this.#letters = 0;
  }
}
