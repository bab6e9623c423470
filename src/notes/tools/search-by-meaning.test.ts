/** `note_search`, `note_related` and `vault_stats` with search by meaning, over a real endpoint. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { embeddingsEndpoint, refuse } from '../../../test/support/notes/embeddings-endpoint.ts';
import { notesBench } from '../../../test/support/notes/notes-tools.ts';
import { Embeddings } from '../embeddings/embeddings.ts';

const FILES = {
  'pets/cats.md': '---\ntags: [animal]\n---\n# Cats\n\nThey purr.\n\n## Food\n\nCat biscuits.\n',
  'pets/dogs.md': '# Dogs\n\nThey bark.\n',
  'zoo.md': '# Zoo\n\nA feline, in a cage with a feline.\n',
};

async function bench(t: TestContext, files: Record<string, string> = FILES) {
  const endpoint = await embeddingsEndpoint(t);
  const settings = { kind: 'remote', url: endpoint.url, model: 'small', exclude: [] } as const;
  const embeddings = new Embeddings(settings);
  t.after(() => embeddings.close());
  const made = await notesBench(t, { files, embeddings });
  await made.open.meaning!.settled();
  return { ...made, endpoint, meaning: made.open.meaning! };
}

interface Hit {
  readonly path: string;
  readonly matched?: string;
  readonly heading_path: readonly string[];
}
const shown = (hits: readonly Hit[]) => hits.map(({ path, matched }) => [path, matched]);

test('a note without a word of the query is found, and every hit says by what', async (t) => {
  const { call } = await bench(t);
  const { hits, semantic } = await call('note_search', { query: 'felines' });
  assert.deepEqual(semantic, { state: 'ready', done: 5, total: 5 });
  const byMeaning = hits.find(({ path }: Hit) => path === 'pets/cats.md');
  assert.equal(byMeaning.matched, 'meaning');
  assert.deepEqual(byMeaning.heading_path.slice(0, 1), ['Cats']);
  assert.deepEqual(shown(hits)[0], ['zoo.md', 'both']);
});

test('words are searched alone when asked for, and meaning alone when asked for', async (t) => {
  const { call } = await bench(t);
  const words = await call('note_search', { query: 'felines', mode: 'words' });
  assert.deepEqual(shown(words.hits), [['zoo.md', undefined]]);
  const meaning = await call('note_search', { query: 'felines', mode: 'meaning' });
  assert.ok(meaning.hits.some(({ path }: Hit) => path === 'pets/cats.md'));
  assert.ok(meaning.hits.every(({ matched }: Hit) => matched === 'meaning'));
});

const NARROWED: readonly (readonly [what: string, args: object, paths: readonly string[]])[] = [
  ['a folder', { query: 'felines', prefix: 'pets' }, ['pets/cats.md']],
  ['a tag', { query: 'felines', tags: ['animal'] }, ['pets/cats.md']],
  ['a typed tag', { query: 'felines tag:animal' }, ['pets/cats.md']],
  ['a property', { query: 'felines', where: [{ key: 'tags', op: 'missing' }] }, ['zoo.md']],
  ['a date', { query: 'felines', modified_before: '2001-01-01' }, []],
  ['quotes', { query: 'felines "they purr"' }, ['pets/cats.md']],
  ['an excluded word', { query: 'felines -cage' }, ['pets/cats.md']],
];
for (const [what, args, paths] of NARROWED) {
  for (const mode of ['auto', 'meaning']) {
    test(`${what} holds in the mode ${mode}`, async (t) => {
      const { call } = await bench(t);
      const { hits } = await call('note_search', { ...args, mode });
      const found = hits.map(({ path }: Hit) => path).filter((path: string) => !/dogs/.test(path));
      assert.deepEqual(found, paths);
      if (what !== 'a date') assert.ok(hits.every(({ matched }: Hit) => matched !== undefined));
    });
  }
}

test('pages of a fused search go on where the last one ended', async (t) => {
  const { call } = await bench(t);
  const all = await call('note_search', { query: 'felines' });
  const first = await call('note_search', { query: 'felines', limit: 1 });
  const next = await call('note_search', { query: 'felines', limit: 1, cursor: first.cursor });
  assert.deepEqual([...first.hits, ...next.hits], all.hits.slice(0, 2));
});

test('while the endpoint is down words answer, and the answer says so', async (t) => {
  const { call, endpoint } = await bench(t);
  endpoint.faults.push(refuse(500));
  const { hits, semantic } = await call('note_search', { query: 'feline', mode: 'meaning' });
  assert.deepEqual(shown(hits), [['zoo.md', undefined]]);
  assert.equal(semantic.state, 'failing');
  assert.match(semantic.reason, /answers 500: made to fail/);
  assert.equal((await call('vault_stats')).semantic.state, 'failing');
});

test('without embeddings nothing of it is shown, and meaning is refused with the cure', async (t) => {
  const { call, refusal } = await notesBench(t, { files: FILES });
  const found = await call('note_search', { query: 'feline' });
  assert.ok(!('semantic' in found) && !('matched' in found.hits[0]));
  assert.ok(!('semantic' in (await call('vault_stats'))));
  const { code, message } = await refusal('note_search', { query: 'feline', mode: 'meaning' });
  assert.equal(code, 'invalid_arguments');
  assert.match(message, /set NOTES_EMBEDDINGS/);
});

test('related notes are found by meaning, from a note and from a text', async (t) => {
  const { call } = await bench(t);
  const byNote = await call('note_related', { path: 'zoo.md' });
  const cats = byNote.related.find(({ path }: Hit) => path === 'pets/cats.md');
  assert.ok(cats.reasons.includes('meaning'));
  const byText = await call('note_related', { text: 'felines' });
  assert.ok(
    byText.related.some(({ reasons }: { reasons: string[] }) => reasons.includes('meaning')),
  );
});

test('an edit is found by its new meaning, and no more by the old', async (t) => {
  const { call, put, meaning } = await bench(t);
  await put('pets/dogs.md', '# Dogs\n\nThey bark at a feline.\n');
  await meaning.ready();
  const { hits } = await call('note_search', {
    query: 'cats',
    mode: 'meaning',
    prefix: 'pets/dogs.md',
  });
  assert.deepEqual(shown(hits), [['pets/dogs.md', 'meaning']]);
  assert.equal((await call('vault_stats')).semantic.total, 5);
});

test('a canary note is never sent', async (t) => {
  const { endpoint } = await bench(t, {
    ...FILES,
    'keys.md': '# Keys\n\nsk-canary\n',
    '.notes/canaries': 'keys.md\n',
  });
  assert.ok(endpoint.texts().length > 0);
  assert.ok(!endpoint.texts().some((text) => text.includes('canary')));
});

test('a note that was changed is not found by the vectors of its former text', async (t) => {
  const { open, vaults, put, meaning } = await bench(t);
  const vector = (await meaning.queryVector('felines'))!;
  const find = async () => {
    const query = { query: 'felines', meaning: { ...vector, isAlone: true } };
    return (await open.index.search(query)).items.map(({ path }) => path);
  };
  assert.ok((await find()).includes('pets/cats.md'));
  // The background work waits for tool calls.
  const end = vaults.activity.begin();
  await put('pets/cats.md', '# Numbers\n\nOne.\n\n## More\n\nTwo.\n');
  assert.ok(!(await find()).includes('pets/cats.md'));
  end();
});

test('of two notes with an equal section the one whose beginning is near, too, ranks first', async (t) => {
  const section = '## Nothing\n\nElse.\n\n## Diary\n\nA feline, and a purr.\n';
  const { call } = await bench(t, {
    'a.md': `# One\n\nThey purr.\n\n${section}`,
    'b.md': `# Two\n\nThey float.\n\n${section}`,
  });
  const { hits } = await call('note_search', { query: 'feline purr', mode: 'meaning' });
  assert.equal(hits[0].path, 'a.md');
});
