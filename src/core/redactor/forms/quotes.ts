/**
 * How a text stands between quotes where nothing is escaped but the quote itself: a field of CSV,
 * a literal of SQL or YAML, an argument of a shell command. And how a shell writes it without.
 */
import type { Encode } from './escapes.ts';

const quoting =
  (quote: string, written: string): Encode =>
  (text) =>
    text.replaceAll(quote, written);

export const quoteEncoders: readonly Encode[] = [
  // CSV and SQL; SQL and YAML.
  quoting('"', '""'),
  quoting("'", "''"),
  // `curl -H '…'` as consoles show it to be copied, and as Python's `shlex` does.
  quoting("'", "'\\''"),
  quoting("'", `'"'"'`),
  // `printf %q`, Python's `re.escape` and Perl's `quotemeta`.
  (text) => text.replace(/[^A-Za-z0-9_@%+=:,./\x7f-\uffff-]/g, '\\$&'),
  (text) => text.replace(/[()[\]{}?*+\-|^$\\.&~# \t\n\r\v\f]/g, '\\$&'),
  (text) => text.replace(/[^A-Za-z0-9_\x7f-\uffff]/g, '\\$&'),
];
