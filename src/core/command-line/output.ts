/** The output of a command: lines, a whole text, and colours on a terminal. */
import { styleText } from 'node:util';

/** Line by line. */
export interface Output {
  out(line: string): void;
  err(line: string): void;
}

export interface CommandOutput extends Output {
  /** Writes a text to where `out` writes, without a line break. */
  write(text: string): void;
  /** Whether `out` writes to a terminal. */
  readonly isTerminal: boolean;
  /** Whether colours may be written to it. */
  readonly hasColours?: boolean;
  /** How many characters a line of the terminal has. */
  readonly columns?: number;
  /**
   * Shows one line of progress on standard error, in place of the last one; an empty line removes it.
   * Absent where standard error is no terminal.
   */
  readonly status?: (line: string) => void;
}

/**
 * The streams of the process. A closed pipe (`| head`) ends the program silently. Colours are written
 * only to terminals, and respect NO_COLOR (https://no-color.org).
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
