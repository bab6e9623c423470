/**
 * Autolinks (CommonMark 6.5) and raw HTML tags (6.6). Attributes are matched one by one, because an
 * expression for all of them exhausts the stack where a tag has millions.
 */
const AUTOLINK = /<[A-Za-z0-9+.-]{2,33}:[^\0- <>]*>/y;
const CLOSING_TAG = /<\/[A-Za-z][A-Za-z0-9-]*[ \t\r\n]*>/y;
const TAG_NAME = /<[A-Za-z][A-Za-z0-9-]*/y;
const ATTRIBUTE = /[ \t\r\n]+[\w:.-]+(?:[ \t\r\n]*=[ \t\r\n]*(?:"[^"]*"|'[^']*'|[^\s"'=<>`]+))?/y;
const TAG_END = /[ \t\r\n]*\/?>/y;

/** The end of the tag or autolink that starts at `at`, or -1. */
export function inlineHtmlEnd(text: string, at: number, to: number): number {
  const end = endOf(AUTOLINK, text, at) ?? endOf(CLOSING_TAG, text, at) ?? tagEnd(text, at, to);
  return end === undefined || end > to ? -1 : end;
}

function tagEnd(text: string, at: number, to: number): number | undefined {
  let end = endOf(TAG_NAME, text, at);
  for (let next = end; next !== undefined && next < to; next = endOf(ATTRIBUTE, text, next)) {
    end = next;
  }
  return end === undefined ? undefined : endOf(TAG_END, text, end);
}

/** The end of what the sticky expression matches at `at`. */
function endOf(expression: RegExp, text: string, at: number): number | undefined {
  expression.lastIndex = at;
  return expression.test(text) ? expression.lastIndex : undefined;
}
