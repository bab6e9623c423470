/** Where a command writes. Texts are written as they are, with their line ends. */
export interface Output {
  out(text: string): void;
  err(text: string): void;
  /** Whether `out` is a terminal that someone reads. */
  readonly isTerminal: boolean;
}
