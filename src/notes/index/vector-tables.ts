/** The tables of search by meaning, as the background work uses them. */
import type { CountedModel, PendingQuery, PendingTexts } from './vectors/pending-texts.ts';
import type { StepArgument, StepResult, VectorStep, VectorSteps } from './vectors/vector-writer.ts';
import type { ReadArgument, ReadOperations, ReadResult } from './workers/read-operations.ts';

type Step = (step: VectorStep) => Promise<unknown>;
type Scan = <Name extends keyof ReadOperations>(
  operation: Name,
  argument: ReadArgument<Name>,
) => Promise<ReadResult<Name>>;

export class VectorTables {
  readonly #step: Step;
  readonly #scan: Scan;

  constructor(step: Step, scan: Scan) {
    this.#step = step;
    this.#scan = scan;
  }

  write<Name extends keyof VectorSteps>(
    step: Name,
    argument: StepArgument<Name>,
  ): Promise<StepResult<Name>> {
    return this.#step({ step, argument } as VectorStep) as Promise<StepResult<Name>>;
  }

  pending(query: PendingQuery): Promise<PendingTexts> {
    return this.#scan('pendingTexts', query);
  }

  /** How many vectors there are, of all models. */
  async size(): Promise<number> {
    return this.#scan('countVectors', undefined);
  }

  count(): Promise<CountedModel[]> {
    return this.#scan('countModels', undefined);
  }
}
