/** Quotes a word for a shell where needed: a host may contain `$`, a backquote or brackets. */
export function shellWord(text: string): string {
  return /^[\w./:@%+-]+$/.test(text) ? text : shellQuoted(text);
}

/** The same, always in quotes. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
