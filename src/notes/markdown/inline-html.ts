/**
 * The end of the raw HTML tag or autolink that starts at `at`, or -1 (CommonMark 6.5, 6.6). Scans
 * stop at the next `<` outside quotes, so `<a <a <a` takes linear time.
 */
export function inlineHtmlEnd(text: string, at: number, to: number): number {
  const autolink = autolinkEnd(text, at, to);
  if (autolink !== -1) return autolink;
  let pos = at + 1;
  const closing = text[pos] === '/';
  if (closing) pos++;
  if (!isLetter(text.charCodeAt(pos))) return -1;
  while (pos < to && isNameCharacter(text.charCodeAt(pos))) pos++;
  while (pos < to) {
    const afterSpace = skipSpace(text, pos, to);
    const character = text[afterSpace];
    if (character === '>') return afterSpace + 1;
    if (closing || afterSpace >= to) return -1;
    if (character === '/') return text[afterSpace + 1] === '>' ? afterSpace + 2 : -1;
    if (afterSpace === pos) return -1;
    pos = attributeEnd(text, afterSpace, to);
    if (pos === -1) return -1;
  }
  return -1;
}

function autolinkEnd(text: string, at: number, to: number): number {
  let colon = at + 1;
  while (colon < to && colon - at <= 33 && /[A-Za-z0-9+.-]/.test(text[colon]!)) colon++;
  if (text[colon] !== ':' || colon - at < 3) return -1;
  for (let pos = colon; pos < to; pos++) {
    const code = text.charCodeAt(pos);
    if (code === 62) return pos + 1;
    if (code <= 32 || code === 60) return -1;
  }
  return -1;
}

function attributeEnd(text: string, at: number, to: number): number {
  let pos = at;
  while (pos < to && /[A-Za-z0-9_:.-]/.test(text[pos]!)) pos++;
  if (pos === at) return -1;
  const equals = skipSpace(text, pos, to);
  if (text[equals] !== '=') return pos;
  const value = skipSpace(text, equals + 1, to);
  const quote = text[value];
  if (quote === '"' || quote === "'") {
    const end = text.indexOf(quote, value + 1);
    return end === -1 || end >= to ? -1 : end + 1;
  }
  pos = value;
  while (pos < to && !/[\s"'=<>`]/.test(text[pos]!)) pos++;
  return pos === value ? -1 : pos;
}

function skipSpace(text: string, at: number, to: number): number {
  let pos = at;
  while (pos < to && /[ \t\r\n]/.test(text[pos]!)) pos++;
  return pos;
}

function isLetter(code: number): boolean {
  const lower = code | 32;
  return lower >= 97 && lower <= 122;
}

function isNameCharacter(code: number): boolean {
  return isLetter(code) || (code >= 48 && code <= 57) || code === 45;
}
