import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { dumpIndexFile } from '../../../../test/support/notes/index-dump.ts';
import { assertIndexIsFresh } from '../../../../test/support/notes/index-equality.ts';
import { generateVault } from '../../../../test/support/notes/vault-generator.ts';
import { propertyRuns } from '../../../../test/support/property-runs.ts';
import { VaultIndexer } from './vault-indexer.ts';

/** A vault of notes, and its index. */
function vault(t: TestContext) {
  const root = mkdtempSync(join(tmpdir(), 'checkout-'));
  mkdirSync(join(root, '.notes'));
  const file = join(root, '.notes/index.db');
  const indexer = new VaultIndexer(root, file, Date.now);
  t.after(() => {
    indexer.close();
    rmSync(root, { recursive: true, force: true });
  });
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  return { root, file, indexer, write };
}

/** What a checkout makes of the notes it changes. */
const EDITS = {
  append: (text) => `${text}\n\nmore [[words]] #tag\n`,
  prepend: (text) => `---\nstatus: new\n---\n# Title\n\n${text}`,
  shorten: (text) => text.slice(0, text.length / 2),
  rename: (text) => text.replace(/^# .*$/m, '# Another title'),
  touch: (text) => text,
  remove: () => undefined,
} satisfies Record<string, (text: string) => string | undefined>;

const checkout = fc.record({
  first: fc.nat(9),
  share: fc.integer({ min: 1, max: 10 }),
  edit: fc.constantFrom(...(Object.keys(EDITS) as (keyof typeof EDITS)[])),
});

test('a change during a build is in the index after the next call, in whatever folder', async (t) => {
  const { root, indexer, write } = vault(t);
  for (const { path, text } of generateVault({ notes: 300, seed: 8 })) write(path, text);
  const later: Promise<unknown>[] = [];
  await indexer.build(() => {
    if (later.length > 0) return;
    write('a new folder/late.md', '# Late');
    for (let call = 0; call < 3; call++) later.push(indexer.build(() => {}));
  });
  assert.equal(new Set(later).size, 1);
  await later[0];
  await assertIndexIsFresh(root);
});

test('a checkout leaves an index equal to a fresh one', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(checkout, { minLength: 1, maxLength: 3 }), async (checkouts) => {
      const { root, indexer, write } = vault(t);
      const notes = [...generateVault({ notes: 520, seed: 9 })];
      for (const { path, text } of notes) write(path, text);
      await indexer.build(() => {});
      for (const { first, share, edit } of checkouts) {
        for (const [at, { path, text }] of notes.entries()) {
          if ((at + first) % share !== 0) continue;
          const edited = EDITS[edit](text);
          if (edited === undefined) rmSync(join(root, path), { force: true });
          else write(path, edited);
        }
        await indexer.build(() => {});
      }
      await assertIndexIsFresh(root);
    }),
    { numRuns: propertyRuns(4) },
  );
});

test('of files that were only touched, nothing but the time is written', async (t) => {
  const { root, file, indexer, write } = vault(t);
  const paths = Array.from({ length: 600 }, (_, note) => `${note}.md`);
  for (const path of paths) write(path, `# Note ${path}`);
  await indexer.build(() => {});
  for (const path of paths) utimesSync(join(root, path), 1, 1);
  const result = await indexer.build(() => {});
  assert.deepEqual(result, { changed: 0, removed: 0, unchanged: 600 });
  assert.deepEqual(
    new Set(
      (dumpIndexFile(file).files as { mtime_ms: number }[]).map(({ mtime_ms: time }) => time),
    ),
    new Set([1000]),
  );
  await assertIndexIsFresh(root);
});
