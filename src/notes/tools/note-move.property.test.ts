import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  arbitraryPath,
  arbitraryWeb,
  fillVault,
  ledLinks,
} from '../../../test/support/notes/link-web.ts';
import { tree } from '../../../test/support/notes/notes-storage.ts';
import { notesBench } from '../../../test/support/notes/notes-tools.ts';
import { propertyRuns } from '../../../test/support/property-runs.ts';

test('wherever a note or a folder of a random web goes, every link leads where it led', async (context) => {
  const bench = await notesBench(context);
  const { root, changes } = bench.open.vault;
  let moves = 0;
  const property = fc.asyncProperty(
    arbitraryWeb,
    fc.nat(),
    arbitraryPath,
    fc.boolean(),
    async (web, pick, to, wholeFolder) => {
      await fillVault(bench, web);
      const path = web[pick % web.length]!.path;
      const folder = path.includes('/') && wholeFolder ? path.slice(0, path.indexOf('/')) : '';
      const args = folder === '' ? { path, to } : { path: `${folder}/`, to: 'new/place/' };
      const answer = await bench.answer('note_move', args);
      if (answer.isError) return;
      moves++;
      const moved = (from: string) => {
        if (folder === '') return from === path ? to : from;
        return from.startsWith(`${folder}/`) ? `new/place${from.slice(folder.length)}` : from;
      };
      const after = new Map<string, string[]>();
      const now = await tree(root);
      assert.deepEqual(now, web.map((note) => moved(note.path)).sort());
      for (const place of now) {
        after.set(
          place,
          (await ledLinks(bench, place)).map(({ to: end }) => String(end)),
        );
      }
      const result = answer.structuredContent as { change_id: string | null; warnings: string[] };
      if (result.change_id !== null) await changes.undo(result.change_id);
      for (const note of web) {
        assert.ok(note.bytes.equals(await bench.bytes(note.path)), 'undo gives every byte back');
        const led = await ledLinks(bench, note.path);
        const place = moved(note.path);
        const found = after.get(place)!;
        for (const [at, { link, to: end }] of led.entries()) {
          if (end === null || found[at] === moved(end)) continue;
          const told = result.warnings.some((warning) => warning.includes(`of "${place}"`));
          const excused = link.place === 'frontmatter' && moved(end).includes('#') && told;
          assert.ok(excused, `${note.path}: link ${at} leads to ${found[at]}, not ${moved(end)}`);
        }
        assert.equal(found.length, led.length, 'no link came or went');
      }
    },
  );
  await fc.assert(property, { numRuns: propertyRuns(120) });
  assert.ok(moves > propertyRuns(60), `only ${moves} moves were made`);
});
