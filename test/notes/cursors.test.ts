/** A cursor is opaque, and a caller may forge one all the same: it is refused, or leads nowhere. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { notesBench } from '../support/notes/notes-tools.ts';

const FORGED = ['-1', '-9', '999999999', '-1.-1', '0.-1', '-1.0', '0.999999999', '1.2.3', 'NaN'];
const FORGED_PLACES = [
  'at',
  'at\0',
  'at\0a.md',
  'at\0a.md\0-5',
  'at\0a.md\x001\0x\0y',
  'at\x00-7\0\x00',
];
const ARGUMENTS: Readonly<Record<string, object>> = {
  vault_list: {},
  note_search: { query: 'x' },
  note_list: {},
  vault_grep: { pattern: 'x' },
  note_links: { path: 'a' },
  tag_list: {},
  task_list: {},
  vault_review: {},
  note_history: { deleted: true },
};

test('a forged cursor is refused or gives nothing, whatever the tool', async (context) => {
  const bench = await notesBench(context, {
    files: { 'a.md': 'x #t\n\n- [ ] x\n\n[[b]]\n', 'b.md': 'x\n' },
    git: { author: { name: 'Ada', email: 'ada@example.org' } },
  });
  const withCursor = [...bench.tools.values()].filter(
    ({ inputSchema }) => inputSchema.properties?.cursor !== undefined,
  );
  assert.deepEqual(
    withCursor.map(({ name }) => name).toSorted(),
    Object.keys(ARGUMENTS).toSorted(),
  );
  const calls: [string, object][] = [
    ...Object.entries(ARGUMENTS),
    ['note_search', { query: 'x', mode: 'substring' }],
    ['note_history', {}],
    ['vault_review', { only: ['orphan'] }],
  ];
  for (const [tool, args] of calls) {
    for (const parts of FORGED_PLACES) {
      const cursor = Buffer.from(parts).toString('base64url');
      const { isError, content } = await bench.answer(tool, { ...args, cursor });
      const what = `${tool} ${JSON.stringify(parts)}: ${JSON.stringify(content)}`;
      if (isError) assert.match(JSON.stringify(content[0]), /invalid_arguments/, what);
    }
    for (const parts of FORGED) {
      const cursor = Buffer.from(parts).toString('base64url');
      const { isError, content } = await bench.answer(tool, { ...args, cursor });
      const what = `${tool} ${parts}: ${JSON.stringify(content)}`;
      if (isError) assert.match(JSON.stringify(content[0]), /invalid_arguments/, what);
      else if (parts.startsWith('-') && tool !== 'vault_review') assert.fail(what);
    }
  }
});
