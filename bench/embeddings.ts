/**
 * What search by meaning costs: npm run bench:embeddings. CPU of the real model, and the latency of
 * searches by words and by both in the same index of 10,000 sections, in turns. The vectors of that
 * index are drawn, because a scan takes as long whatever they are.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalEmbedder } from '../src/notes/embeddings/local/local-embedder.ts';
import { LocalModel } from '../src/notes/embeddings/local/local-model.ts';
import { localModelProblem } from '../src/notes/embeddings/local/optional-packages.ts';
import { NoteIndex } from '../src/notes/index/note-index.ts';
import { IndexWorkers } from '../src/notes/index/workers/index-workers.ts';

const NOTES = 2_000;
const SECTIONS = 10_000;
const QUERIES = 300;
const WORDS = 3_000;
const DIMENSIONS = 384;

let state = 1;
const draw = (below: number) => {
  state = (state * 48_271) % 2_147_483_647;
  return state % below;
};
/** Few words are common and most are rare. */
const word = () => `word${Math.floor(WORDS ** (draw(1000) / 1000))}`;
const words = (count: number) => Array.from({ length: count }, word).join(' ');
const vector = () => Int8Array.from({ length: DIMENSIONS }, () => draw(255) - 127);

const folder = mkdtempSync(join(tmpdir(), 'bench-embeddings-'));
try {
  await measureModel();
  await measureSearch();
} finally {
  rmSync(folder, { recursive: true });
}

async function measureModel(): Promise<void> {
  const problem = localModelProblem(undefined);
  if (problem !== undefined) return print(`the model: left out, ${problem}`);
  const model = await LocalModel.load(undefined);
  const texts = {
    'a query of 8 words': 8,
    'a section of 100 words': 100,
    'the longest section': 400,
  };
  for (const [what, count] of Object.entries(texts)) {
    const text = Array.from({ length: count }, () => 'garden').join(' ');
    await model.embed(text);
    const began = process.cpuUsage();
    for (let run = 0; run < 20; run++) await model.embed(text);
    const { user, system } = process.cpuUsage(began);
    print(`${what}: ${((user + system) / 20_000).toFixed(1)} ms of CPU`);
  }
  const embedder = new LocalEmbedder(undefined);
  await embedder.embed([words(200)], { signal: new AbortController().signal });
  const [child = ''] = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').split(' ');
  const [, kib] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${child}/status`, 'utf8')) ?? [];
  print(`the process of the model: ${Math.round(Number(kib) / 1024)} MiB resident`);
  await embedder.close();
}

async function measureSearch(): Promise<void> {
  for (let note = 0; note < NOTES; note++) {
    const sections = Array.from(
      { length: SECTIONS / NOTES },
      () => `## ${words(3)}\n\n${words(80)}\n`,
    );
    const path = join(folder, 'vault', String(note % 50));
    mkdirSync(path, { recursive: true });
    writeFileSync(join(path, `${note}.md`), sections.join('\n'));
  }
  const workers = new IndexWorkers();
  const root = join(folder, 'vault');
  const index = await NoteIndex.open({ root, file: join(folder, 'index.db'), workers });
  await index.build();
  const model = await index.vectors.write('putModel', {
    name: 'drawn',
    dimensions: DIMENSIONS,
    source: '{}',
  });
  for (let after: number | undefined = 0; after !== undefined; ) {
    after = (await index.vectors.write('listTexts', { after, exclude: [] })).next;
  }
  for (let after: number | undefined = 0; after !== undefined; ) {
    const { texts, next } = await index.vectors.pending({ model, after, limit: 500 });
    const vectors = texts.map(({ hash }) => ({ hash, vector: vector() }));
    await index.vectors.write('putVectors', { model, vectors });
    after = next;
  }
  const times: Record<'words' | 'both', number[]> = { words: [], both: [] };
  for (let run = 0; run < QUERIES; run++) {
    const query = words(3);
    const meaning = { model, values: Float32Array.from(vector()) };
    for (const kind of ['words', 'both'] as const) {
      const began = performance.now();
      await index.search({ query, ...(kind === 'both' && { meaning }) });
      times[kind].push(performance.now() - began);
    }
  }
  print(`${await index.vectors.size()} sections`);
  for (const [kind, all] of Object.entries(times)) {
    const sorted = all.toSorted((a, b) => a - b);
    const at = (share: number) => sorted[Math.floor(share * sorted.length)]!.toFixed(1);
    print(`search by ${kind}: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms`);
  }
  await index.close();
  await workers.close();
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
