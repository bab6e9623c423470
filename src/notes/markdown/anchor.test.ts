import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { blockAnchors, HeadingNames, isSameText } from './anchor.ts';

const TEXT = fc.oneof(
  fc.string({
    unit: fc.constantFrom('a', 'A', 'é', 'e\u0301', ' ', '-', '#', ':', '^'),
    maxLength: 4,
  }),
  fc.string({ unit: 'grapheme', maxLength: 6 }),
);

test('the heading that is found is the first of that text, and else the first named so', () => {
  fc.assert(
    fc.property(fc.array(TEXT, { maxLength: 6 }), TEXT, (texts, anchor) => {
      const headings = texts.map((text) => ({ text }));
      const last = anchor.slice(anchor.lastIndexOf('#') + 1);
      const first =
        headings.find(({ text }) => isSameText(text, last)) ??
        headings.find((heading) => new HeadingNames([heading]).find(anchor));
      assert.equal(new HeadingNames(headings).find(anchor), first);
    }),
    { numRuns: 3000 },
  );
});

test('a thousand lookups among a thousand headings read each heading once', () => {
  let reads = 0;
  const headings = Array.from({ length: 1000 }, (_, at) => ({
    get text() {
      reads++;
      return `Heading ${at}`;
    },
  }));
  const names = new HeadingNames(headings);
  for (const [at, heading] of headings.entries()) {
    assert.equal(names.find(`heading-${at}`), heading);
    assert.equal(names.find(`A#Heading ${at}`), heading);
    assert.equal(names.find(`Heading ${at} `), heading);
  }
  assert.equal(reads, 1000);
});

test('blocks are what ends a line, and the first of a name', () => {
  const text = 'a ^one\r\n^two\nb ^three c\nd^four\ne\t^one \n^fi.ve\n';
  assert.deepEqual(
    [...blockAnchors(text)],
    [
      ['^one', 1],
      ['^two', 8],
    ],
  );
});
