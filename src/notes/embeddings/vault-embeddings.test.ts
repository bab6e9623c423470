/** The background work against an HTTP endpoint: what is sent, kept, sent again, and never sent. */
import assert from 'node:assert/strict';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import {
  answer,
  bagOfWords,
  type Endpoint,
  embeddingsEndpoint,
  type Fault,
  refuse,
} from '../../../test/support/notes/embeddings-endpoint.ts';
import { recordingLog, temporaryDirectory } from '../../../test/support/notes/notes-storage.ts';
import { NoteIndex } from '../index/note-index.ts';
import { IndexWorkers } from '../index/workers/index-workers.ts';
import { Embeddings } from './embeddings.ts';
import { ToolActivity } from './tool-activity.ts';
import { VaultEmbeddings } from './vault-embeddings.ts';

const workers = new IndexWorkers();
const CATS = '# Cats\n\nThey purr.\n\n## Food\n\nFish, mostly.\n';
const DOGS = '# Dogs\n\nThey bark.\n';

interface Options {
  readonly model?: string;
  readonly exclude?: readonly string[];
  readonly hidden?: readonly string[];
  readonly activity?: ToolActivity;
}

interface Vault {
  readonly root: string;
  readonly index: NoteIndex;
  put(path: string, text: string): void;
  /** Starts the work as a server that starts does, and waits until it is done or fails. */
  embed(endpoint: Endpoint, options?: Options): Promise<VaultEmbeddings>;
}

async function vault(t: TestContext, files: Record<string, string>): Promise<Vault> {
  const root = await temporaryDirectory(t);
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  for (const [path, text] of Object.entries(files)) put(path, text);
  const index = await NoteIndex.open({ root, file: join(root, '.notes/index.db'), workers });
  t.after(() => index.close());
  return {
    root,
    index,
    put,
    embed: async (endpoint, { model = 'small', exclude = [], hidden, activity } = {}) => {
      await index.build();
      const settings = { kind: 'remote', url: endpoint.url, model, exclude } as const;
      const embeddings = new Embeddings(settings);
      const meaning = new VaultEmbeddings({
        vault: 'test',
        tables: index.vectors,
        embeddings,
        activity: activity ?? new ToolActivity(),
        log: recordingLog().log,
        settleMs: 0,
        backoffMs: 1,
        ...(hidden && { hidden: async () => hidden }),
      });
      t.after(async () => {
        await meaning.close();
        await embeddings.close();
      });
      meaning.update();
      await meaning.settled();
      return meaning;
    },
  };
}

/** The texts of notes, without the question for the dimensions. */
const sent = (endpoint: Endpoint) => endpoint.texts().filter((text) => text !== 'dimensions');

test('each section is sent once, with the title of its note and its headings', async (t) => {
  const endpoint = await embeddingsEndpoint(t);
  const { embed } = await vault(t, { 'a/cats.md': CATS });
  const meaning = await embed(endpoint);
  assert.deepEqual(meaning.state(), { state: 'ready', done: 2, total: 2 });
  assert.deepEqual(sent(endpoint), ['Cats. They purr.', 'Cats: Food. Fish, mostly.']);
});

test('an edit sends what it changed, a moved note and a restart nothing', async (t) => {
  const endpoint = await embeddingsEndpoint(t);
  const { root, embed, put } = await vault(t, { 'a/cats.md': CATS, 'dogs.md': DOGS });
  await embed(endpoint);
  const before = sent(endpoint).length;
  mkdirSync(join(root, 'b'));
  renameSync(join(root, 'a/cats.md'), join(root, 'b/cats.md'));
  await embed(endpoint);
  assert.equal(sent(endpoint).length, before);
  put('b/cats.md', CATS.replace('Fish', 'Mice'));
  const meaning = await embed(endpoint);
  assert.deepEqual(sent(endpoint).slice(before), ['Cats: Food. Mice, mostly.']);
  assert.equal(meaning.state().total, 3);
});

test('a rebuild of the index sends nothing, and a removed index everything', async (t) => {
  const endpoint = await embeddingsEndpoint(t);
  const { root, embed, index } = await vault(t, { 'cats.md': CATS, 'dogs.md': DOGS });
  await embed(endpoint);
  await index.rebuild();
  assert.equal(await index.vectors.size(), 3);
  const meaning = await embed(endpoint);
  assert.deepEqual(meaning.state(), { state: 'ready', done: 3, total: 3 });
  assert.equal(sent(endpoint).length, 3);
  rmSync(join(root, '.notes/index.db'));
  await embed(endpoint);
  assert.equal(sent(endpoint).length, 6);
});

test('the vectors of a removed note are deleted', async (t) => {
  const endpoint = await embeddingsEndpoint(t);
  const { root, embed, index } = await vault(t, { 'cats.md': CATS, 'dogs.md': DOGS });
  await embed(endpoint);
  rmSync(join(root, 'cats.md'));
  const meaning = await embed(endpoint);
  assert.deepEqual(meaning.state(), { state: 'ready', done: 1, total: 1 });
  assert.deepEqual(await index.vectors.size(), 1);
});

test('an excluded folder is not sent, and excluding it later deletes its vectors', async (t) => {
  const endpoint = await embeddingsEndpoint(t);
  const { embed, index } = await vault(t, { 'cats.md': CATS, 'Private/dogs.md': DOGS });
  const exclude = ['Private/**'];
  await embed(endpoint, { exclude });
  assert.ok(!sent(endpoint).some((text) => text.includes('bark')));
  await embed(endpoint);
  assert.ok(sent(endpoint).some((text) => text.includes('bark')));
  assert.equal(await index.vectors.size(), 3);
  await embed(endpoint, { exclude });
  assert.equal(await index.vectors.size(), 2);
});

test('what is in the folder of the server, and a hidden note, is never sent', async (t) => {
  const endpoint = await embeddingsEndpoint(t);
  const { embed } = await vault(t, {
    'cats.md': CATS,
    'canary.md': DOGS,
    '.notes/instructions.md': '# Secret conventions\n',
    '.obsidian/plugin.md': '# Secret settings\n',
  });
  await embed(endpoint, { hidden: ['canary.md'] });
  assert.ok(!sent(endpoint).some((text) => /Secret|bark/.test(text)));
});

const FAULTS: readonly (readonly [what: string, fault: Fault])[] = [
  ['429', refuse(429, { 'retry-after': '0' })],
  ['500', refuse(500)],
  ['a redirect', refuse(307, { location: 'https://elsewhere.example/v1/embeddings' })],
  ['a broken connection', (response) => response.destroy()],
  ['no JSON', (response) => response.end('<html>')],
  ['an endless answer', (response) => response.end(Buffer.alloc(20_000_000, 32))],
  [
    'half a batch',
    async (response, { model }, embedded) => answer(response, model, (await embedded()).slice(1)),
  ],
  [
    'NaN',
    async (response, { model }, embedded) =>
      answer(
        response,
        model,
        (await embedded()).map((vector) => [Number.NaN, ...vector.slice(1)]),
      ),
  ],
  [
    'zeros',
    async (response, { model }, embedded) =>
      answer(
        response,
        model,
        (await embedded()).map((vector) => vector.map(() => 0)),
      ),
  ],
  [
    'other dimensions',
    async (response, { model, input }) =>
      answer(
        response,
        model,
        input.map((text) => bagOfWords(text, 32)),
      ),
  ],
  [
    'vectors of two lengths',
    async (response, { model }, embedded) =>
      answer(
        response,
        model,
        (await embedded()).map((vector, at) => vector.slice(at)),
      ),
  ],
];

for (const [what, fault] of FAULTS) {
  test(`after ${what} the batch is sent again, and nothing of it is kept`, async (t) => {
    const endpoint = await embeddingsEndpoint(t);
    const { embed, index } = await vault(t, { 'cats.md': CATS, 'dogs.md': DOGS });
    // The first question is that for the dimensions.
    endpoint.faults.push(() => false, fault);
    const meaning = await embed(endpoint);
    await meaning.ready();
    assert.deepEqual(meaning.state(), { state: 'ready', done: 3, total: 3 });
    assert.equal(sent(endpoint).length, 6);
    assert.deepEqual(sent(endpoint).slice(3), sent(endpoint).slice(0, 3));
    assert.equal(await index.vectors.size(), 3);
  });
}

test('a text that the endpoint refuses keeps none of the others from their vectors', async (t) => {
  const endpoint = await embeddingsEndpoint(t);
  const { embed } = await vault(t, {
    'cats.md': CATS,
    'long.md': `# Long\n\n${'toolong '.repeat(60)}`,
    'worse.md': '# Worse\n\npoison\n',
  });
  const isRefused = (text: string) => text.length > 300 || text.includes('poison');
  const check: Fault = (response, asked, embedded) => {
    endpoint.faults.push(check);
    return asked.input.some(isRefused) ? refuse(400)(response, asked, embedded) : false;
  };
  endpoint.faults.push(check);
  const meaning = await embed(endpoint);
  assert.deepEqual(meaning.state(), { state: 'ready', done: 4, total: 4 });
  assert.ok(endpoint.texts().some((text) => text.includes('toolong') && text.length < 300));
});

test('a changed model is built while the old vectors stay, which then are deleted', async (t) => {
  const endpoint = await embeddingsEndpoint(t);
  const { embed, index } = await vault(t, { 'cats.md': CATS, 'dogs.md': DOGS });
  const old = await embed(endpoint);
  assert.equal(old.model, 1);
  await old.close();
  endpoint.faults.push(() => false, refuse(500));
  const meaning = await embed(endpoint, { model: 'large' });
  assert.equal(meaning.state().state, 'failing');
  assert.equal(meaning.model, 1);
  assert.equal((await meaning.queryVector('cats'))?.model, 1);
  assert.equal(endpoint.asked.at(-1)?.model, 'small');
  await meaning.ready();
  assert.equal(meaning.model, 2);
  assert.equal((await meaning.queryVector('cats'))?.model, 2);
  assert.deepEqual(
    (await index.vectors.count()).map(({ name }) => name),
    ['large'],
  );
  assert.equal(await index.vectors.size(), 3);
});

test('a search gets no vector while the endpoint is down, and asks once in a while', async (t) => {
  const endpoint = await embeddingsEndpoint(t);
  const { embed } = await vault(t, { 'cats.md': CATS });
  const meaning = await embed(endpoint);
  endpoint.faults.push(refuse(500));
  assert.equal(await meaning.queryVector('tigers'), undefined);
  assert.equal(meaning.state().state, 'failing');
  const { length } = endpoint.asked;
  assert.equal(await meaning.queryVector('lions'), undefined);
  assert.equal(endpoint.asked.length, length);
  const later = performance.now() + 60_000;
  assert.equal((await meaning.queryVector('lions', later))?.values.length, 64);
  assert.equal(meaning.state().state, 'ready');
});

test('nothing is sent while a tool call runs', async (t) => {
  const endpoint = await embeddingsEndpoint(t);
  const other = await embeddingsEndpoint(t);
  const busy = await vault(t, { 'cats.md': CATS });
  const idle = await vault(t, { 'cats.md': CATS });
  const activity = new ToolActivity();
  const end = activity.begin();
  const embedding = busy.embed(endpoint, { activity });
  // Another vault does all its work meanwhile.
  assert.equal((await idle.embed(other)).state().state, 'ready');
  assert.deepEqual(endpoint.asked, []);
  end();
  assert.equal((await embedding).state().state, 'ready');
});
