import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { notesBench } from '../../../test/support/notes/notes-tools.ts';

const FILES = {
  'hub.md': '# Hub\n\n[[leaf]] and [[nowhere]]\n',
  'leaf.md': '[[far]]\n',
  'far.md': 'end\n',
  'x/in.md': 'see [[Hub#Hub]]\n',
};

describe('note_links', () => {
  test('in, out and broken', async (context) => {
    const { call } = await notesBench(context, { files: FILES });
    const { vault: _, ...links } = await call('note_links', { path: 'hub' });
    assert.deepEqual(links, {
      path: 'hub.md',
      in: [{ from: 'x/in.md', to: 'hub.md', line: 1, kind: 'wiki', anchor: 'Hub' }],
      out: [{ from: 'hub.md', to: 'leaf.md', line: 3, kind: 'wiki' }],
      broken: [{ from: 'hub.md', target: 'nowhere', line: 3, kind: 'wiki' }],
    });
    const into = await call('note_links', { path: 'hub.md', direction: 'in' });
    assert.deepEqual([into.in.length, into.out.length, into.broken.length], [1, 0, 0]);
    const out = await call('note_links', { path: 'Hub', direction: 'out', depth: 2 });
    assert.deepEqual(
      [out.in.length, out.out.map(({ to }: { to: string }) => to)],
      [0, ['leaf.md', 'far.md']],
    );
  });

  test('pages hold every link once', async (context) => {
    const names = Array.from({ length: 150 }, (_, index) => `n${index}`);
    const { call } = await notesBench(context, {
      files: {
        'hub.md': names.map((name) => `[[${name}]] [[missing ${name}]]`).join('\n'),
        ...Object.fromEntries(names.map((name) => [`${name}.md`, '[[hub]]'])),
      },
    });
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await call('note_links', { path: 'hub', limit: 70, ...(cursor && { cursor }) });
      for (const kind of ['in', 'out', 'broken']) {
        seen.push(...page[kind].map((edge: object) => `${kind} ${JSON.stringify(edge)}`));
      }
      cursor = page.cursor;
    } while (cursor !== undefined);
    assert.deepEqual([seen.length, new Set(seen).size], [450, 450]);
  });

  test('a note that is not there, and one the index has not read yet', async (context) => {
    const { refusal, open } = await notesBench(context, { files: FILES });
    assert.equal((await refusal('note_links', { path: 'gone' })).code, 'note_not_found');
    await open.index.remove('far.md');
    const early = await refusal('note_links', { path: 'far.md' });
    assert.equal(early.code, 'index_building');
  });

  test('wrong arguments are refused', async (context) => {
    const { refusal } = await notesBench(context, { files: FILES });
    const far = Buffer.from('999999999').toString('base64url');
    const wrong: object[] = [
      ...[{}, { path: 'hub', direction: 'up' }, { path: 'hub', depth: 4 }, { path: 5 }],
      ...[
        { path: 'hub', limit: 0 },
        { path: 'hub', cursor: 'x' },
        { path: 'hub', cursor: far },
      ],
    ];
    for (const args of wrong) {
      assert.equal((await refusal('note_links', args)).code, 'invalid_arguments');
    }
  });
});
