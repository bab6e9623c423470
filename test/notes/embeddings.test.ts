/** The server with an embeddings endpoint: stops, kills, restarts, and what the log says. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LocalEmbedder } from '../../src/notes/embeddings/local/local-embedder.ts';
import { localModelProblem } from '../../src/notes/embeddings/local/optional-packages.ts';
import { embeddingsEndpoint, type Fault } from '../support/notes/embeddings-endpoint.ts';
import { type NotesProcess, runNotes, startNotes } from '../support/notes/notes.ts';
import { until } from '../support/notes/notes-storage.ts';

const KEY = 'sk-key-of-the-endpoint';
/** More than three batches. */
const NOTES = Object.fromEntries(
  Array.from({ length: 120 }, (_, n) => [`default/${n}.md`, `# Note ${n}\n\nText ${n}.\n`]),
);

function environment(url: string): Record<string, string> {
  return { NOTES_EMBEDDINGS: url, NOTES_EMBEDDINGS_MODEL: 'small', NOTES_EMBEDDINGS_KEY: KEY };
}

async function isReady(server: NotesProcess): Promise<boolean> {
  return (await server.call('vault_stats')).value.semantic.state === 'ready';
}

for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
  test(`after ${signal} in the middle of a build nothing is sent again`, async (context) => {
    const endpoint = await embeddingsEndpoint(context);
    // The third batch is never answered.
    const stuck: Fault = () => undefined;
    endpoint.faults.push(
      () => false,
      () => false,
      () => false,
      stuck,
    );
    const env = environment(endpoint.url);
    const killed = await startNotes(context, { files: NOTES, env });
    await endpoint.reached(4);
    const before = endpoint.texts().slice(1);
    killed.signal(signal);
    await killed.exited;
    const server = await startNotes(context, { data: killed.data, env });
    await until(() => isReady(server));
    const { semantic } = (await server.call('vault_stats')).value;
    assert.deepEqual(semantic, { state: 'ready', done: 120, total: 120 });
    const after = endpoint.texts().slice(before.length + 1);
    const kept = new Set(before.slice(0, 64));
    assert.equal(kept.size, 64);
    assert.deepEqual(
      after.filter((text) => kept.has(text)),
      [],
    );
    assert.ok(endpoint.asked.every(({ authorization }) => authorization === `Bearer ${KEY}`));
    const log = [killed.stdout(), server.stdout()].join('\n');
    assert.ok(!log.includes(KEY));
  });
}

test('a server without the endpoint starts, answers by words, and says so', async (context) => {
  const env = environment('http://127.0.0.1:9/v1');
  const server = await startNotes(context, { files: NOTES, env });
  await server.indexed();
  const isFailing = async () =>
    (await server.call('vault_stats')).value.semantic.state === 'failing';
  await until(isFailing);
  const { hits, semantic } = (await server.call('note_search', { query: 'note 17' })).value;
  assert.equal(hits[0].path, '17.md');
  assert.match(semantic.reason, /cannot be reached: ECONNREFUSED/);
});

test('notes reindex shows how many sections are embedded, and none is sent again', async (context) => {
  const endpoint = await embeddingsEndpoint(context);
  const files = { 'default/a.md': '# A\n\nText.\n', 'default/b.md': '# B\n\nText.\n' };
  const server = await startNotes(context, { files, env: environment(endpoint.url) });
  await until(() => isReady(server));
  const { length } = endpoint.asked;
  const { stdout, code } = await runNotes(['reindex'], { env: { NOTES_DATA: server.data } });
  assert.equal(code, 0);
  assert.match(stdout, /default: 2 of 2 notes indexed\n(.*\n)*default: 2 sections embedded\n$/);
  assert.equal(endpoint.asked.length, length);
});

if (localModelProblem(undefined) === undefined) {
  const FILES = {
    'default/cat.md': '# Whiskers\n\nThe cat takes a nap on the sofa.\n',
    'default/car.md': '# Garage\n\nThe automobile needs new tyres.\n',
    'default/tax.md': '# Revenue\n\nIncome tax is due in May.\n',
  };

  test('the real model finds a note that shares no word with the query', async (context) => {
    const server = await startNotes(context, { files: FILES, env: { NOTES_EMBEDDINGS: 'local' } });
    await until(() => isReady(server));
    const query = 'sleeping feline pet';
    const { hits } = (await server.call('note_search', { query })).value;
    assert.deepEqual([hits[0].path, hits[0].matched], ['cat.md', 'meaning']);
  });

  test('and behind an endpoint with the shape of OpenAI it finds the same', async (context) => {
    const local = new LocalEmbedder(undefined);
    context.after(() => local.close());
    const { signal } = new AbortController();
    const endpoint = await embeddingsEndpoint(context, async (text) => {
      const [vector] = await local.embed([text], { signal });
      return vector!;
    });
    const env = environment(endpoint.url);
    const server = await startNotes(context, { files: FILES, env });
    await until(() => isReady(server));
    const { hits } = (await server.call('note_search', { query: 'vehicle wheels' })).value;
    assert.deepEqual([hits[0].path, hits[0].matched], ['car.md', 'meaning']);
  });
}
