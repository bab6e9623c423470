/**
 * A memory budget for the answers of batches. A batch keeps its answers until the last one is there, so
 * a hundred large ones would exhaust the memory. While the budget is used up, further requests of a
 * batch are refused before they run.
 */

/** In letters; of one batch, and of all that run. */
const MAX_OF_ONE = 8 * 1024 * 1024;
const MAX_OF_ALL = 32 * 1024 * 1024;

/** The letters that all batches hold. */
export interface BatchBudget {
  letters: number;
}

/** The answers of one batch. `release` must be called once they are sent. */
export class BatchAnswers {
  readonly #budget: BatchBudget;
  readonly #answers: (string | undefined)[] = [];
  #letters = 0;

  constructor(budget: BatchBudget) {
    this.#budget = budget;
  }

  get isFull(): boolean {
    return this.#letters >= MAX_OF_ONE || this.#budget.letters >= MAX_OF_ALL;
  }

  /** The answer to the message at this place, if it has one. */
  put(at: number, answer: string | undefined): void {
    this.#answers[at] = answer;
    this.#count(answer?.length ?? 0);
  }

  inOrder(): string[] {
    return this.#answers.filter((answer) => answer !== undefined);
  }

  release(): void {
    this.#count(-this.#letters);
  }

  #count(letters: number): void {
    this.#letters += letters;
    this.#budget.letters += letters;
  }
}
