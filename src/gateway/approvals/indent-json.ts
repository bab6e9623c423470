/**
 * Indents JSON without reading it: every token stays as it is, in its order. Parsing and printing would
 * hide what a person has to see, such as the first of two members of one name, or the last digits of a
 * number.
 */
const TOKEN = /"(?:[^"\\]|\\.)*"?|[{}[\],:]|[^\s"{}[\],:]+/gs;

const MAX_TOKENS = 100_000;

/** Undefined for a text that would become several times as long or has too many tokens. */
export function indentJson(text: string): string | undefined {
  let [shown, depth, isFresh] = ['', 0, false];
  const line = () => `\n${'  '.repeat(Math.min(depth, 40))}`;
  const maxLength = 4 * text.length + 4_096;
  let tokens = 0;
  for (const [token] of text.matchAll(TOKEN)) {
    if (shown.length > maxLength || ++tokens > MAX_TOKENS) return undefined;
    if (token === '}' || token === ']') {
      depth = Math.max(0, depth - 1);
      shown += isFresh ? token : line() + token;
      isFresh = false;
    } else {
      shown += (isFresh ? line() : '') + (token === ':' ? ': ' : token);
      isFresh = token === '{' || token === '[';
      if (isFresh) depth += 1;
      if (token === ',') shown += line();
    }
  }
  return shown;
}
