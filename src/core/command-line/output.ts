/** What a command writes to: lines, a whole text, and colours where they are welcome. */

/** Line by line. */
export interface Output {
  out(line: string): void;
  err(line: string): void;
}

export interface CommandOutput extends Output {
  /** Writes a text to where `out` writes, as it is. */
  write(text: string): void;
  /** Whether that is a terminal that someone reads. */
  readonly isTerminal: boolean;
  /** Whether colours may be written to it. */
  readonly hasColours?: boolean;
  /** How many characters a line of the terminal has. */
  readonly columns?: number;
}

/**
 * The process's own streams. A reader that has seen enough (`| head`) ends the program in
 * silence. Colours are for terminals alone, and for none whose owner wants none
 * (https://no-color.org).
 */
export function standardOutput(env: Readonly<Record<string, string | undefined>>): CommandOutput {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(0);
  });
  const isTerminal = process.stdout.isTTY === true;
  return {
    out: (line) => process.stdout.write(`${line}\n`),
    err: (line) => process.stderr.write(`${line}\n`),
    write: (text) => process.stdout.write(text),
    isTerminal,
    hasColours: isTerminal && !env.NO_COLOR && env.TERM !== 'dumb',
    ...(isTerminal && { columns: process.stdout.columns || 80 }),
  };
}

const STYLES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const;
export type Paint = Readonly<Record<keyof typeof STYLES, (text: string) => string>>;

/** Functions that colour a text where the output takes colours, and give it back where not. */
export function paintFor({ hasColours }: Pick<CommandOutput, 'hasColours'>): Paint {
  const entries = Object.entries(STYLES).map(([name, code]) => [
    name,
    (text: string) => (hasColours && text !== '' ? `\x1b[${code}m${text}\x1b[0m` : text),
  ]);
  return Object.fromEntries(entries);
}
