/**
 * Notes made to be slow to read. Time is not looked at: the characters that are read and searched
 * are counted, and a note four times as long must not cost much more than four times as many.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attempt } from '../../../test/support/notes/attempt.ts';
import { parseNote } from '../markdown/parse-note.ts';
import { EditError } from '../text/edit-error.ts';
import { editSection } from './edit-section.ts';

/** Counts the characters that `work` reads one by one, searches through and matches against. */
function stepsOf(work: () => void): number {
  let steps = 0;
  const text = String.prototype;
  const expression = RegExp.prototype;
  const { charCodeAt, indexOf, replace, split, match } = text;
  const { exec } = expression;
  text.charCodeAt = function (at) {
    steps++;
    return charCodeAt.call(this, at);
  };
  text.indexOf = function (needle, from = 0) {
    const found = indexOf.call(this, needle, from);
    steps += (found === -1 ? this.length : found) - from + 1;
    return found;
  };
  expression.exec = function (input) {
    const from = this.global || this.sticky ? this.lastIndex : 0;
    const found = exec.call(this, input);
    const read = found ? found.index + found[0].length : this.sticky ? from : input.length;
    steps += read - from + 1;
    return found;
  };
  for (const [name, original] of Object.entries({ replace, split, match })) {
    Object.assign(text, {
      [name](this: string, ...rest: unknown[]) {
        steps += this.length;
        return Reflect.apply(original, this, rest);
      },
    });
  }
  try {
    work();
  } finally {
    Object.assign(text, { charCodeAt, indexOf, replace, split, match });
    expression.exec = exec;
  }
  return steps;
}

const REPEATED: string[] = [
  'x ',
  '# a\n',
  'a\n=\n',
  '- a\n',
  '- [ ] a\n',
  '> ',
  '- ',
  '1. ',
  '- > ',
  '>\n',
  'a\n',
  '\n',
  '\r',
  '[',
  '[[',
  ']',
  '[[a\n\n',
  '[[a]] ',
  '[[`a ',
  '![',
  '![[',
  '[a](b) ',
  '[](a',
  '[](<',
  '[](a "',
  "[](a '",
  '[](a (',
  '[a]: b "\n',
  '[a]: b\n',
  '[a\n',
  '`',
  '`a``b```c',
  '`a\n\n',
  '<',
  '<!--',
  '<!-- \n\n',
  '<a ',
  '<a b="',
  "<a b='",
  '<a:',
  '<div>\n',
  '<?\n\n',
  '#',
  '#a ',
  '#a',
  '\\',
  '!',
  '*',
  '|a',
  '|-|\n',
  '```\n',
  '~~~\n\n',
  '\t',
  '    a\n',
  '📅',
  '- [ ] 📅 2026-11-15 due: ',
  '---\n',
  '---\na: 1\n',
  '%5B',
  '\xff',
];

test('what is repeated without end costs as much as it is long', () => {
  const costs = (unit: string, length: number) => {
    const bytes = Buffer.from(unit.repeat(Math.ceil(length / unit.length)), 'utf8');
    return stepsOf(() => parseNote(bytes)) / bytes.length;
  };
  for (const unit of REPEATED) {
    const [short, long] = [costs(unit, 10_000), costs(unit, 40_000)];
    assert.ok(long < 1.5 * short + 2, `${JSON.stringify(unit)}: ${short} then ${long} a byte`);
    assert.ok(long < 600, `${JSON.stringify(unit)}: ${long} steps a byte`);
  }
});

const NESTED: [about: string, make: (count: number) => string][] = [
  ['brackets', (count) => '['.repeat(count) + '](a)'.repeat(count)],
  ['images', (count) => '!['.repeat(count) + '](a)'.repeat(count)],
  ['wiki brackets', (count) => '[['.repeat(count) + ']]'.repeat(count)],
  ['parentheses', (count) => `[a](${'('.repeat(count)}${')'.repeat(count)})`],
  [
    'runs of backticks',
    (count) => Array.from({ length: Math.sqrt(count) }, (_, at) => '`'.repeat(at)).join(' '),
  ],
  ['quotes', (count) => `${'>'.repeat(count / 10)}a\n`.repeat(10)],
  [
    'lists',
    (count) =>
      Array.from({ length: Math.sqrt(count) }, (_, at) => `${'  '.repeat(at)}- a\n`).join(''),
  ],
  [
    'headings of rising level',
    (count) =>
      Array.from({ length: count / 8 }, (_, at) => `${'#'.repeat((at % 6) + 1)} a\n`).join(''),
  ],
];

test('what is nested without end costs as much as it is long', () => {
  for (const [about, make] of NESTED) {
    const [short, long] = [10_000, 40_000].map((count) => {
      const bytes = Buffer.from(make(count));
      return stepsOf(() => parseNote(bytes)) / bytes.length;
    });
    assert.ok(long! < 1.5 * short! + 2, `${about}: ${short} then ${long} a byte`);
  }
});

test('ten megabytes in one line and a hundred thousand headings are read', () => {
  const line = parseNote(Buffer.alloc(10_000_000, 'word [[link]] '));
  assert.equal(line.lineStarts.length, 1);
  assert.equal(line.links.length, 714_285);
  const headings = parseNote(Buffer.from('# a\n'.repeat(100_000)));
  assert.equal(headings.headings.length, 100_000);
  assert.equal(headings.headings.at(-1)!.line, 100_000);
});

test('a heading and a property with many spaces are read in linear time', () => {
  const spaces = ' '.repeat(1_000_000);
  for (const text of [`# a${spaces}b`, `a${spaces}b\n===`, `a${spaces}\n${spaces}b\n===`]) {
    const [heading] = parseNote(Buffer.from(text)).headings;
    assert.match(heading!.text, /^a {1,1000000}b$/);
  }
  const property = `k:: a${' '.repeat(3900)}b\n`;
  assert.equal(parseNote(Buffer.from(property.repeat(100))).tags.length, 0);
});

test('a tag with millions of attributes is text, and what follows is read', () => {
  const tag = `<a${' b="c"'.repeat(1_500_000)}>`;
  const note = parseNote(Buffer.from(`${tag}\n\n# Heading\n\n[[link]]\n`));
  assert.deepEqual([note.headings[0]?.text, note.links[0]?.target], ['Heading', 'link']);
});

test('an edit among a hundred thousand headings is made', () => {
  const text = `${'## a\n'.repeat(100_000)}## b\n`;
  const made = attempt(editSection, parseNote(Buffer.from(text)), {
    mode: 'append_to_section',
    heading: 'b',
    content: 'x',
  });
  assert.ok(!(made instanceof EditError));
  assert.deepEqual(made, [{ start: 500_005, end: 500_005, bytes: Buffer.from('\nx\n') }]);
  const twins = attempt(editSection, parseNote(Buffer.from(text)), {
    mode: 'delete_section',
    heading: 'a',
  });
  assert.ok(twins instanceof EditError);
  assert.ok(JSON.stringify(twins.data).length < 4000);
});

test('what is nested deeper than people nest is left unread, and what follows is read', () => {
  const note = parseNote(Buffer.from(`${'> '.repeat(5000)}[[deep]]\n\n# After\n[[near]]\n`));
  assert.deepEqual(
    note.links.map(({ target }) => target),
    ['near'],
  );
  assert.equal(note.headings.length, 1);
});
