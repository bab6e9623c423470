/** Random notes of the kind people have, for the properties of the edits. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { encodingProblem } from '../../../src/notes/files/encoding.ts';
import type { ParsedNote } from '../../../src/notes/markdown/parsed-note.ts';

const heading = fc.constantFrom(
  '# Alpha',
  '## Beta',
  '## Beta ##',
  '### Gamma',
  '#',
  'Delta\n=====',
  'Two\nlines\n---',
  '## Notes',
  '## Notes archive',
  '# Été',
  '   ## Indented',
);

const block = fc.constantFrom(
  'Plain text.',
  'Two lines\nof text',
  'text with [[foo#h|a]] and `[[code]]`',
  '![[img.png]] [x](../a%20b.md "t") #tag/sub',
  '- one\n- two\n  - three',
  '* [ ] task 📅 2026-11-15\n* [x] done',
  '1. a\n2. b',
  '> quote\n> # not a heading\nlazy',
  '- # in an item\n\n  more',
  '````\n```\n# not a heading\n```\n````',
  '~~~ js\n# no\n~~~',
  '```\nunclosed',
  '    indented\n    # code',
  '| a | b |\n| - | - |\n| [[x\\|y]] | 2 |',
  '<!-- comment\n\n# no\n-->',
  '<!-- unclosed',
  '<div>\n# no\n</div>',
  '---',
  '***',
  '===',
  '[ref]: foo.md "t"',
  '[^1]: note',
  '日本語のテキスト',
  'e\u0301 ünï 😀',
  '$$\nx\n$$',
  '\\# no',
  '%% hidden %%',
  '- [ ] a\n---',
  'a\n\n\nb',
  '\t- tab',
  'trailing  ',
  '   ',
);

const frontmatter = fc.constantFrom(
  '',
  '',
  '---\ntitle: "A"\ntags: [a, b] # c\n---\n',
  '---\n# only a comment\nlist:\n  - x\n  # y\n  - z\nkey: |\n  text\n\n---\n',
  '---\nbroken: [\n---\n',
  '---\nunclosed: 1\n',
  '---\n---\n',
  '---\n  indented: 1\n  "quoted": \'x\'\n---\n',
  '---\nalias: ü\n---\n',
  '---\nup: "[[foo]]"\nempty:\n---\n',
);

const part = fc.oneof({ weight: 2, arbitrary: heading }, { weight: 5, arbitrary: block });
const gap = fc.constantFrom('\n', '\n\n', '\n\n\n', '\n \n');

/** A note of blocks and gaps; its line ends, mark, last line end and stray bytes are chosen, too. */
export const arbitraryNote: fc.Arbitrary<Buffer> = fc
  .record({
    bom: fc.boolean(),
    frontmatter,
    parts: fc.array(fc.tuple(part, gap), { maxLength: 8 }),
    ends: fc.constantFrom('lf', 'crlf', 'cr', 'mixed'),
    finalEnd: fc.boolean(),
    strayAt: fc.option(fc.nat(200)),
    seed: fc.nat(),
  })
  .map(({ bom, frontmatter: front, parts, ends, finalEnd, strayAt, seed }) => {
    let text = front + parts.flat().join('');
    if (!finalEnd) text = text.replace(/\n+$/, '');
    let count = seed;
    text = text.replace(/\n/g, () => {
      count = (count * 1103515245 + 12345) & 0x7fffffff;
      if (ends === 'mixed') return ['\n', '\r\n', '\r'][count % 3]!;
      return ends === 'lf' ? '\n' : ends === 'crlf' ? '\r\n' : '\r';
    });
    const bytes = Buffer.from((bom ? '\ufeff' : '') + text);
    if (strayAt === null || strayAt > bytes.length) return bytes;
    return Buffer.concat([bytes.subarray(0, strayAt), Buffer.of(0xff), bytes.subarray(strayAt)]);
  });

/** As `arbitraryNote`; most are UTF-8 without NUL, which tools edit. */
export const arbitraryEditable: fc.Arbitrary<Buffer> = fc.oneof(
  {
    weight: 9,
    arbitrary: arbitraryNote.filter((bytes) => encodingProblem(bytes) === undefined),
  },
  { weight: 1, arbitrary: arbitraryNote },
);

/** Asserts that `after` is `before` with one range, which must lie in `[from, to]`, replaced. */
export function assertOutsideKept(before: Buffer, after: Buffer, from: number, to: number): void {
  assert.ok(before.subarray(0, from).equals(after.subarray(0, from)), 'the bytes before stay');
  const tail = before.subarray(to);
  assert.ok(tail.equals(after.subarray(after.length - tail.length)), 'the bytes after stay');
  assert.ok(after.length >= from + tail.length, 'the bytes before and after are two');
}

/** Every heading with its level. */
export function outline(note: ParsedNote): string[] {
  return note.headings.map(({ level, text }) => `${level} ${text}`);
}
