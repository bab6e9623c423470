/** Finds the prose of a note, in which links may be inserted. */
import { readBlocks } from '../../markdown/blocks.ts';
import { CodeSpans } from '../../markdown/code-spans.ts';
import { frontmatterRange } from '../../markdown/frontmatter.ts';
import { lineAt, lineStarts } from '../../text/lines.ts';

/**
 * The text with frontmatter, headings, code, HTML and link definitions blanked. Lines and offsets
 * stay the same.
 */
export function proseOf(text: string): string {
  const starts = lineStarts(text);
  const textStart = text.startsWith('\ufeff') ? 1 : 0;
  const bodyStart = frontmatterRange(text, textStart)?.end ?? textStart;
  const firstLine = lineAt(starts, bodyStart) - 1;
  const offset = (line: number) =>
    line === 0 ? bodyStart : (starts[firstLine + line] ?? text.length);
  const parts: string[] = [];
  let done = 0;
  const keep = (from: number, to: number) => {
    parts.push(blanked(text.slice(done, from)), text.slice(from, to));
    done = to;
  };
  let headingEnd = 0;
  readBlocks(text.slice(bodyStart), ({ kind, firstLine: first, endLine }) => {
    if (kind === 'heading') headingEnd = endLine;
    if (kind === 'text' && first >= headingEnd)
      keepText(text, offset(first), offset(endLine), keep);
  });
  keep(text.length, text.length);
  return parts.join('');
}

/** Keeps a text block without its code spans. */
function keepText(
  text: string,
  from: number,
  to: number,
  keep: (from: number, to: number) => void,
): void {
  const spans = new CodeSpans(text, from, to);
  let kept = from;
  for (let at = from; at < to; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '`') {
      const end = spans.spanEnd(at);
      if (end !== -1) {
        keep(kept, at);
        kept = end;
      }
      at = (end === -1 ? spans.runEnd(at) : end) - 1;
    }
  }
  keep(kept, to);
}

function blanked(text: string): string {
  return text.replace(/[^\r\n]/g, '\0');
}
