/**
 * Times the notes index on a generated vault with notes of real sizes (half have over 2 KB, the mean
 * is 4 KB, one in two thousand 400 KB): node bench/notes-index.ts [notes] [directory].
 * A directory that holds a vault already is used as it is. Beside wall times, which suffer from
 * whatever else runs, it shows the best of several runs and the processor time of a build.
 */
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NoteIndex } from '../src/notes/index/note-index.ts';
import { IndexWorkers } from '../src/notes/index/workers/index-workers.ts';
import { randomFrom, writeVault, zipfWord } from '../test/support/notes/vault-generator.ts';

const QUERIES = 300;
/** So many files are changed behind the back of the index, as `git checkout` does. */
const CHANGED = 20_000;
const NOTE_LENGTH = 3;
const notes = Number(process.argv[2] ?? 15_000);
const root = process.argv[3] ?? mkdtempSync(join(tmpdir(), 'notes-bench-'));
if (!existsSync(join(root, 'attachments'))) writeVault(root, { notes, length: NOTE_LENGTH });
const file = join(root, '.notes', 'index.db');
rmSync(join(root, '.notes'), { recursive: true, force: true });

const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.md'))
  .map((path) => join(root, path));
const bytes = files.reduce((sum, path) => sum + statSync(path).size, 0);

let workers = new IndexWorkers();
let index = await NoteIndex.open({ root, file, workers });

const cpuBefore = process.cpuUsage();
const began = performance.now();
let searchesMeanwhile = 0;
let slowestMeanwhile = 0;
let building = true;
const build = index.build().finally(() => {
  building = false;
});
while (building) {
  const start = performance.now();
  await index.search({ query: 'the quick' });
  slowestMeanwhile = Math.max(slowestMeanwhile, performance.now() - start);
  searchesMeanwhile++;
  await new Promise((resolve) => setTimeout(resolve, 200));
}
await build;
const buildMs = performance.now() - began;
const cpu = process.cpuUsage(cpuBefore);
const cpuMs = (cpu.user + cpu.system) / 1000;
show('build', `${rate(buildMs)} by the clock, ${rate(cpuMs)} by processor time`);
show('peak of the build', `${Math.round(process.resourceUsage().maxRSS / 1000)} MB resident`);
show(
  'searches during the build',
  `${searchesMeanwhile}, the slowest ${slowestMeanwhile.toFixed(1)} ms`,
);

let change = 0;
const random = randomFrom(99);
const queries = Array.from({ length: QUERIES }, () =>
  Array.from({ length: 1 + random.below(3) }, () => zipfWord(random)).join(' '),
);
await timed('search, 1 to 3 words by their frequency', queries, (query) => index.search({ query }));
const rare = Array.from({ length: QUERIES }, () => `${zipfWord(random)} ${random.below(notes)}`);
await timed('search, a word and a number', rare, (query) => index.search({ query }));
const han = Array.from({ length: 50 }, () =>
  random.pick(['東京', '経済', '言語処理', '時間人生', '本']),
);
await timed('search, Japanese', han, (query) => index.search({ query }));

const some = (await index.list({ limit: 200 })).items.map(({ path }) => path);
await timed('backlinks', some, (path) => index.links({ path, direction: 'in' }));
await timed('related', some.slice(0, 50), (path) => index.related({ path }));
await timed('stats, counted anew', Array.from({ length: 20 }), async (_, untimed) => {
  await untimed(() => index.upsert('bench.md', Buffer.from(`stats ${change++}`), 1));
  return index.stats();
});
await timed('tags', Array.from({ length: 20 }), () => index.tags());
await timed('review', Array.from({ length: 10 }), () => index.review({ nowMs: Date.now() }));
await timed('one changed note', some, (path) => {
  const bytes = Buffer.concat([readFileSync(join(root, path)), Buffer.from(`change ${change++}`)]);
  return index.upsert(path, bytes, 1);
});

await index.close();
await workers.close();
const started = performance.now();
workers = new IndexWorkers();
index = await NoteIndex.open({ root, file, workers });
await index.search({ query: 'the quick' });
show('start to first answer, index ready', `${Math.round(performance.now() - started)} ms`);
const changed = files.slice(0, CHANGED);
for (const path of changed) appendFileSync(path, '\nchanged\n');
const checkedOut = performance.now();
await index.build();
const checkoutMs = Math.round(performance.now() - checkedOut);
show(`${changed.length} files changed on disk`, `indexed within ${checkoutMs} ms`);
show('memory', `${Math.round(process.memoryUsage.rss() / 1e6)} MB resident`);

await index.close();
await workers.close();
if (process.argv[3] === undefined) rmSync(root, { recursive: true });

function rate(ms: number): string {
  return `${Math.round((notes / ms) * 1000)} notes/s, ${(bytes / ms / 1000).toFixed(1)} MB/s`;
}

/** The best of three runs of each, so that a moment's noise does not count. */
async function timed<Item>(
  name: string,
  items: readonly Item[],
  run: (item: Item, untimed: (work: () => Promise<void>) => Promise<void>) => Promise<unknown>,
): Promise<void> {
  const times: number[] = [];
  for (const item of items) {
    let best = Number.POSITIVE_INFINITY;
    for (let attempt = 0; attempt < 3; attempt++) {
      let start = performance.now();
      await run(item, async (work) => {
        await work();
        start = performance.now();
      });
      best = Math.min(best, performance.now() - start);
    }
    times.push(best);
  }
  times.sort((a, b) => a - b);
  const at = (part: number) => (times[Math.floor((times.length - 1) * part)] ?? 0).toFixed(2);
  show(name, `p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, worst ${at(1)} ms`);
}

function show(name: string, figures: string): void {
  process.stdout.write(`${name.padEnd(42)} ${figures}\n`);
}
