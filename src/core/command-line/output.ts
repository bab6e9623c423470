/** The output of a command: lines, a whole text, and colours on a terminal. */
import { styleText } from 'node:util';

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
  /**
   * Shows one line to the person who waits, in the place of the last such line; an empty one removes it.
   * Absent where nobody sees it: it goes to standard error, if that is a terminal.
   */
  readonly status?: (line: string) => void;
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
    ...(process.stderr.isTTY === true && { status: showStatus }),
  };
}

const CLEAR_LINE = '\r\u001b[K';

function showStatus(line: string): void {
  process.stderr.write(`${CLEAR_LINE}${line.slice(0, (process.stderr.columns || 80) - 1)}`);
}

const STYLES = ['bold', 'dim', 'red', 'green', 'yellow', 'cyan'] as const;
export type Paint = Readonly<Record<(typeof STYLES)[number], (text: string) => string>>;

/** Functions that style a text, or return it unchanged where the output takes no colours. */
export function paintFor({ hasColours }: Pick<CommandOutput, 'hasColours'>): Paint {
  const entries = STYLES.map((style) => [
    style,
    (text: string) =>
      hasColours && text !== '' ? styleText(style, text, { validateStream: false }) : text,
  ]);
  return Object.fromEntries(entries);
}
