import assert from 'node:assert/strict';
import { test } from 'node:test';
import { notesBench } from '../../../test/support/notes/notes-tools.ts';

const SITE = {
  'content/en/docs/setup/tools.md': '# Tools\n',
  'content/en/docs/setup/_index.md': '# Set up\n',
  'files/en-us/web/api/x/index.md': '---\nslug: Web/API/X\n---\n',
  'content/en/a.md':
    '[a](/docs/setup/tools/) [b](/docs/setup/tools/?all=true#tools) [c](/docs/setup/) [d](/en-US/docs/Web/API/X)\n',
};
const GRAPH = {
  'pages/term___block.md': '- ## Use\n\t- text\n- ## Other\n',
  'pages/x.md':
    '[[term/block]] [[term/block#Use]] ((66b0ea1e-0000-4000-8000-000000000000)) [y](((66b0ea1e)))\n',
};

test('addresses of a web site keep their style when their page moves', async (context) => {
  const bench = await notesBench(context, { files: SITE });
  assert.equal((await bench.call('vault_stats')).counts.broken_links, 0);
  const moves = [
    ['content/en/docs/setup/tools.md', 'content/en/docs/use/kit.md'],
    ['content/en/docs/setup/', 'content/en/docs/begin'],
    ['files/en-us/web/api/x/', 'files/en-us/web/api/y'],
  ];
  for (const [path, to] of moves) {
    const { warnings } = await bench.call('note_move', { path, to });
    assert.deepEqual(warnings, []);
  }
  assert.equal(
    await bench.text('content/en/a.md'),
    '[a](/docs/use/kit/) [b](/docs/use/kit/?all=true#tools) [c](/docs/begin/) [d](/en-US/docs/Web/API/X)\n',
  );
  assert.equal((await bench.call('vault_stats')).counts.broken_links, 0);
});

test('a page of Logseq keeps its namespace in links, and its headings are sections', async (context) => {
  const bench = await notesBench(context, { files: GRAPH });
  const { items } = await bench.call('vault_review', { only: ['broken_link', 'broken_anchor'] });
  assert.deepEqual(items, []);
  const read = await bench.call('note_read', { path: 'term/block', heading: 'Use' });
  assert.equal(read.content, '- ## Use\n\t- text\n');
  const rename = { mode: 'rename_heading', heading: 'Use', content: 'Usage' };
  await bench.call('note_section_edit', { path: 'pages/term___block', ...rename });
  await bench.call('note_move', { path: 'pages/term___block.md', to: 'pages/idea___part.md' });
  assert.equal(await bench.text('pages/idea___part.md'), '- ## Usage\n\t- text\n- ## Other\n');
  assert.match(
    await bench.text('pages/x.md'),
    /^\[\[idea\/part\]\] \[\[idea\/part#Usage\]\] \(\(66b/,
  );
});
