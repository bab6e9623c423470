import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { notesBench } from '../../../test/support/notes/notes-tools.ts';

describe('tag_list', () => {
  test('the most used first, in pages', async (context) => {
    const { call, refusal } = await notesBench(context, {
      files: {
        'a.md': '#Project/garden #idea\n',
        'b.md': '#project/garden #project\n',
        ...Object.fromEntries(
          Array.from({ length: 60 }, (_, index) => [`t${index}.md`, `#only${index}\n`]),
        ),
      },
    });
    const { tags } = await call('tag_list', { prefix: '#project' });
    assert.deepEqual(tags, [
      { tag: 'Project/garden', notes: 2 },
      { tag: 'project', notes: 1 },
    ]);
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await call('tag_list', { limit: 25, ...(cursor && { cursor }) });
      seen.push(...page.tags.map(({ tag }: { tag: string }) => tag));
      cursor = page.cursor;
    } while (cursor !== undefined);
    assert.deepEqual([seen.length, new Set(seen).size], [63, 63]);
    for (const args of [
      { limit: 0 },
      { limit: 501 },
      { prefix: 'x'.repeat(201) },
      { cursor: '' },
    ]) {
      assert.equal((await refusal('tag_list', args)).code, 'invalid_arguments');
    }
  });
});
