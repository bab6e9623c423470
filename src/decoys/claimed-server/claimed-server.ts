/**
 * The server that the standalone decoys claim to be. Prevents fingerprinting: the order and spelling of
 * headers, the page of a 404 and the answers to malformed requests are those of that program.
 */

/** What is wrong with a request, where the program would answer without looking for its path. */
export type Fault =
  | 'malformed'
  | 'version'
  /** HTTP/0.9: a line of two words. */
  | 'no-version'
  | 'header-name'
  | 'coding'
  | 'too-large'
  | 'timeout'
  | 'no-host'
  | 'two-hosts'
  | 'bad-host'
  | 'bad-path'
  | 'bad-method'
  | 'expectation';

export interface Page {
  readonly status: number;
  /** Names and values in turn, without date, length and connection. */
  readonly headers: readonly string[];
  readonly body: string;
}

/** How the connection goes on, and what must be said of it. */
export type Persistence = 'kept' | 'kept-old' | 'closed' | 'closed-old';

export interface ClaimedServer {
  readonly notFound: Page;
  /** What `/` answers, where it does. */
  readonly root?: Page;
  /** `OPTIONS *` */
  readonly asterisk: Page;
  /** All headers as they are sent; without a length the body is sent in chunks. */
  layout(
    headers: readonly string[],
    length: number | undefined,
    persistence: Persistence,
  ): string[];
  /** The whole response to a request that is refused before its path is looked at. */
  refusal(fault: Fault, raw: string): string;
  /** Faults that the program overlooks. */
  readonly overlooks: ReadonlySet<Fault>;
  /** The status line of a request in HTTP/1.0. */
  readonly oldVersion: '1.0' | '1.1';
}

let shown = { second: 0, text: '' };

/** Formatted once a second: formatting takes a tenth of a 404. */
export function httpDate(): string {
  const nowMs = Date.now();
  const second = Math.floor(nowMs / 1_000);
  if (second !== shown.second) shown = { second, text: new Date(nowMs).toUTCString() };
  return shown.text;
}

/** Names with their values. */
export function pairsOf(headers: readonly string[]): (readonly [name: string, value: string])[] {
  const pairs: (readonly [string, string])[] = [];
  for (let at = 0; at < headers.length; at += 2) pairs.push([headers[at]!, headers[at + 1]!]);
  return pairs;
}

export function headOf(line: string, headers: readonly string[]): string {
  const lines = pairsOf(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${line}\r\n${lines.join('')}\r\n`;
}
