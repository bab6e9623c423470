/** Where a command writes, line by line. */
export interface Output {
  out(line: string): void;
  err(line: string): void;
}
