import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { memoryIndex } from '../../../../test/support/notes/index-fixture.ts';
import { inZone } from '../../../../test/support/notes/zone.ts';
import { REVIEW_KINDS, type ReviewKind } from './review-item.ts';
import { vaultReview } from './vault-review.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const NOW_MS = Date.parse('2026-11-15T12:00:00Z');
const LONG = 'many words that make this note more than a stub, so that it is not taken for one';

const { sql, put } = memoryIndex();
const fill = (path: string, text: string, ageDays = 1) =>
  put(path, text, NOW_MS - ageDays * DAY_MS);
fill(
  'hub.md',
  `# Hub\n\n${LONG}\n\n[[topic#Second part]] [[topic#Secnd part]] [[Twin]] [[void]] ![[used.png]]\n`,
);
fill(
  'topic.md',
  `# Topic\n\n${LONG} [[hub]]\n\n## Second part\n\n- [ ] pay 📅 2026-01-01\n- [ ] later\n`,
);
fill('a/Twin.md', `# Twin\n\n${LONG} one`);
fill('b/Twin.md', `# Twin\n\n${LONG} two`);
fill('copy.md', `# Original\n\n${LONG} three\n`);
fill('other-id.md', `---\nid: 2\n---\n# Original\n\n${LONG} three [[hub]]\n`);
fill('same-but-id.md', `---\nid: 3\n---\n# Original\n\n${LONG} three [[hub]]\n`);
fill('original.md', `# Original\n\n${LONG} three`);
fill('mention.md', `# Mention\n\n${LONG}\n\nWe spoke of the lonely island today.\n`);
fill('lonely island.md', `# Lonely island\n\n${LONG} four`);
fill('old.md', `# Old\n\n${LONG} [[hub]] five`, 400);
fill('bad.md', `---\na: [\n---\n# Bad\n\n${LONG} [[hub]] six`);
fill('short.md', '# Short [[hub]]');
fill('empty.md', '');
fill('hub.sync-conflict-20260101-120000-ABCDEF.md', `# Hub\n\n${LONG} [[hub]] seven`);
fill('lost (conflicted copy 2026-01-01).md', `# Lost\n\n${LONG} [[hub]] eight`);
fill('attachments/used.png', 'x');
fill('attachments/unused.png', 'x');

function found(kind: ReviewKind) {
  const { items } = vaultReview(sql, { only: [kind], nowMs: NOW_MS, limit: 50 });
  return items.map(({ path, line, fix }) => {
    const { dry_run, ...args } = fix?.arguments ?? {};
    const changes = ['note_delete', 'note_merge', 'note_edit', 'note_move'].includes(
      fix?.tool ?? '',
    );
    assert.deepEqual([dry_run === true, fix?.effect !== undefined], [changes, changes]);
    return [path, line, fix?.tool, fix && args];
  });
}

const rows: [kind: ReviewKind, items: unknown[]][] = [
  [
    'conflict_copy',
    [
      [
        'hub.sync-conflict-20260101-120000-ABCDEF.md',
        undefined,
        'note_merge',
        { path: 'hub.sync-conflict-20260101-120000-ABCDEF.md', into: 'hub.md' },
      ],
      [
        'lost (conflicted copy 2026-01-01).md',
        undefined,
        'note_move',
        { path: 'lost (conflicted copy 2026-01-01).md', to: 'lost.md' },
      ],
    ],
  ],
  ['malformed_frontmatter', [['bad.md', 1, undefined, undefined]]],
  ['broken_link', [['hub.md', 5, 'note_create', { path: 'void.md', content: '# void\n' }]]],
  [
    'broken_anchor',
    [
      [
        'hub.md',
        5,
        'note_edit',
        {
          path: 'hub.md',
          edits: [
            {
              old_string:
                '[[topic#Second part]] [[topic#Secnd part]] [[Twin]] [[void]] ![[used.png]]',
              new_string:
                '[[topic#Second part]] [[topic#Second part]] [[Twin]] [[void]] ![[used.png]]',
            },
          ],
        },
      ],
    ],
  ],
  [
    'ambiguous_link',
    [
      [
        'hub.md',
        5,
        'note_edit',
        {
          path: 'hub.md',
          edits: [
            {
              old_string:
                '[[topic#Second part]] [[topic#Secnd part]] [[Twin]] [[void]] ![[used.png]]',
              new_string:
                '[[topic#Second part]] [[topic#Secnd part]] [[a/Twin]] [[void]] ![[used.png]]',
            },
          ],
        },
      ],
    ],
  ],
  [
    'open_task',
    [
      ['topic.md', 7, undefined, undefined],
      ['topic.md', 8, undefined, undefined],
    ],
  ],
  [
    'duplicate',
    [['original.md', undefined, 'note_merge', { path: 'original.md', into: 'copy.md' }]],
  ],
  [
    'stub',
    [
      ['empty.md', undefined, 'note_delete', { path: 'empty.md' }],
      ['short.md', undefined, undefined, undefined],
    ],
  ],
  [
    'orphan',
    ['b/Twin.md', 'copy.md', 'empty.md', 'lonely island.md', 'mention.md', 'original.md'].map(
      (path) => [path, undefined, 'note_related', { path }],
    ),
  ],
  [
    'unlinked_mention',
    [
      [
        'mention.md',
        5,
        'note_edit',
        {
          path: 'mention.md',
          edits: [
            {
              old_string: 'We spoke of the lonely island today.',
              new_string: 'We spoke of the [[lonely island]] today.',
            },
          ],
        },
      ],
    ],
  ],
  ['stale', [['old.md', undefined, undefined, undefined]]],
  [
    'unused_attachment',
    [['attachments/unused.png', undefined, 'note_delete', { path: 'attachments/unused.png' }]],
  ],
];

describe('a review of a vault', () => {
  for (const [kind, items] of rows) {
    test(`${kind} is found where it is and nowhere else`, () => {
      assert.deepEqual(found(kind), items);
    });
  }

  test('every kind has a row here', () => {
    assert.deepEqual(
      rows.map(([kind]) => kind),
      [...REVIEW_KINDS],
    );
  });

  test('each kind has its share of a page, and the pages together have everything once', () => {
    const first = vaultReview(sql, { nowMs: NOW_MS, limit: 12 });
    assert.equal(new Set(first.items.map(({ kind }) => kind)).size, 12);
    const seen: string[] = [];
    for (let cursor: string | undefined, begun = false; !begun || cursor; begun = true) {
      const page = vaultReview(sql, {
        nowMs: NOW_MS,
        limit: 4,
        ...(cursor !== undefined && { cursor }),
      });
      assert.ok(page.items.length <= 4);
      seen.push(...page.items.map((item) => JSON.stringify(item)));
      cursor = page.cursor;
    }
    const all = vaultReview(sql, { nowMs: NOW_MS, limit: 100 }).items;
    assert.deepEqual(seen.sort(), all.map((item) => JSON.stringify(item)).sort());
  });

  test('a review of one folder tells of that folder only', () => {
    const { items } = vaultReview(sql, { nowMs: NOW_MS, prefix: 'attachments' });
    assert.deepEqual(
      items.map(({ path }) => path),
      ['attachments/unused.png'],
    );
  });
});

test('a task is overdue once its day is over where the server runs', () => {
  const nowMs = Date.UTC(2026, 0, 1, 12);
  const details = () =>
    vaultReview(sql, { only: ['open_task'], nowMs, limit: 1 }).items.map(({ detail }) => detail);
  assert.deepEqual(inZone('UTC', details), ['due 2026-01-01: pay 📅 2026-01-01']);
  assert.deepEqual(inZone('Pacific/Kiritimati', details), [
    'overdue since 2026-01-01: pay 📅 2026-01-01',
  ]);
});
