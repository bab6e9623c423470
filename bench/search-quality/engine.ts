/** What the benchmark asks of every search it compares. */
export interface Engine {
  readonly name: string;
  /** Makes the vault ready to be searched; called once, before the first search. */
  index(vault: string): Promise<void>;
  /** Paths of notes relative to the vault, best first, each once. */
  search(query: string): Promise<string[]>;
  close(): Promise<void>;
}

/** As many results as the metrics look at. */
export const MAX_RESULTS = 10;
