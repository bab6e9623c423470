/**
 * Runs the tests of `npm test`, or of `npm run test:unit` and `test:long` when called with `unit` or
 * `long`.
 *
 * Most unit tests share one process: starting a process for each file takes longer than most of
 * them run. A file gets its own process when it changes state that others see, or when it is slow,
 * so that it runs in parallel with others. Slow files start first, so that none of them is left
 * running alone at the end.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  globSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { PassThrough, type Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { finished } from 'node:stream/promises';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { browserPath } from './support/pages/browser.ts';
import { replicasMissing } from './support/replicas/programs.ts';

/** Unit tests that must not share a process, and why. */
const OWN_PROCESS: Readonly<Record<string, string>> = {
  'src/core/garbage.test.ts': 'collects garbage',
  'src/core/http/server.test.ts': 'lists the modules that are loaded',
  'src/core/log/line-writer.test.ts': 'blocks standard output',
  'src/core/process.test.ts': 'sends signals',
  'src/core/redis/redis-store.test.ts': 'moves the clock',
  'src/core/secrets/hash-threads.test.ts': 'occupies the hashing threads',
  'src/gateway/config/active-config.test.ts': 'has a hook before each test',
  'src/gateway/upstream/exchange.test.ts': 'has a hook after each test',
  'src/notes/git/git.test.ts': 'changes PATH',
  'src/oauth/login/form-token.test.ts': 'measures the memory of the process',
};
/** Files that take more than a few seconds, slowest first. */
const SLOW: readonly string[] = [
  'test/pages/accessibility.browser.test.ts',
  'test/oauth/login-page.browser.test.ts',
  'test/gateway/approval-page.browser.test.ts',
  'test/console/gateway-console.browser.test.ts',
  'test/console/notes-console.browser.test.ts',
  'test/gateway/cli-init.test.ts',
  'test/gateway/leak-matrix.test.ts',
  'test/gateway/memory.test.ts',
  'test/gateway/minted-leaks.test.ts',
  'test/notes/lifecycle.test.ts',
  'test/oauth/register.test.ts',
  'test/book.test.ts',
  'test/quickstart.test.ts',
  'test/notes/reading-hostile.test.ts',
  'src/core/redactor/properties.test.ts',
  'test/decoys/report.browser.test.ts',
  'test/notes/reindex.test.ts',
  'src/notes/large-notes/heavy-notes.test.ts',
  'test/notes/write-hostile.test.ts',
  'test/notes/identity.test.ts',
  'test/decoys/recognition/recognition.test.ts',
  'test/decoys/cli.test.ts',
  'test/notes/document-2.test.ts',
  'test/pages/connect-page.browser.test.ts',
  'test/gateway/audit-page.browser.test.ts',
  'src/notes/watch/watcher.test.ts',
  'test/oauth/login.test.ts',
  'src/notes/index/build/vault-indexer.test.ts',
  'src/notes/index/build/index-writer.test.ts',
  'src/notes/index/note-index.test.ts',
  'test/gateway/cli-audit.test.ts',
  'test/notes/write-bytes.test.ts',
  'src/notes/tools/note-move.property.test.ts',
  'src/notes/edit/hostile.test.ts',
  'test/gateway/document-1.test.ts',
  'test/gateway/cli-transcripts.test.ts',
  'test/notes/decoys.test.ts',
  'test/notes/conformance.test.ts',
  'test/notes/write-race.test.ts',
  'test/notes/docs-commands.test.ts',
  'test/notes/tripwires.test.ts',
  'test/log-file.test.ts',
  'test/notes/embeddings.test.ts',
  'test/notes/reference.test.ts',
  'test/first-day.test.ts',
  'test/notes/read-only.test.ts',
  'test/gateway/connect.browser.test.ts',
  'test/gateway/replicas.test.ts',
  'test/gateway/default-times.test.ts',
  'src/notes/tools/note-merge.test.ts',
  'test/notes/metrics.test.ts',
  'src/notes/tools/note-history.test.ts',
  'test/notes/git.test.ts',
  'src/notes/git/history.test.ts',
  'src/notes/tools/note-split.test.ts',
  'test/notes/write-length.test.ts',
  'test/gateway/cli-hashpw.test.ts',
  'test/package.test.ts',
  'src/notes/edit/merge.test.ts',
  'test/notes/attacks.test.ts',
  'src/notes/edit/move-to-note.test.ts',
  'test/notes/secrets.test.ts',
  'src/notes/index/query/search.test.ts',
  'src/notes/edit/edits.test.ts',
  'test/gateway/reload.test.ts',
  'test/deploy.test.ts',
  'test/gateway/redaction-encodings.test.ts',
  'test/notes/write-common.test.ts',
  'test/gateway/redaction-cut.test.ts',
  'src/notes/changes/crash.test.ts',
  'src/core/redactor/redactor.test.ts',
  'src/core/redactor/scanner.test.ts',
  'src/core/redactor/foreign-encoders.test.ts',
  'src/notes/edit/section-edits.test.ts',
  'src/notes/changes/failing-disk.test.ts',
];

/**
 * Files that only `npm run test:long` runs, each with the shorter file that shows the same guarantee in
 * `npm test`.
 */
const LONG: Readonly<Record<string, string>> = {
  'test/constraints.test.ts': 'test/deploy.test.ts',
  'test/gateway/minted-replicas.test.ts': 'src/gateway/credentials/shared-refresh.test.ts',
  'test/gateway/reload-under-fire.test.ts': 'test/gateway/reload.test.ts',
  'test/notes/crash.test.ts': 'src/notes/changes/crash.test.ts',
  'test/notes/git-faults.test.ts': 'test/notes/git.test.ts',
  'test/notes/large-vault.test.ts': 'src/notes/index/note-index.test.ts',
  'test/notes/operations.test.ts': 'test/notes/docs-commands.test.ts',
  'test/notes/reading-fuzz.test.ts': 'test/notes/reading-hostile.test.ts',
  'test/notes/write-walk.test.ts': 'test/notes/write-bytes.test.ts',
};

/**
 * Files that run a second time, against three replicas behind a balancer with one store: some in
 * `npm test`, all in `npm run test:long`. Where Redis or HAProxy is not installed, they do not.
 */
const ALSO_WITH_REPLICAS: readonly string[] = [
  'test/oauth/refresh-race.test.ts',
  'test/mcp/session.test.ts',
  'test/gateway/rate-limit.test.ts',
];
const ALSO_WITH_REPLICAS_LONG: readonly string[] = [
  ...ALSO_WITH_REPLICAS,
  'test/oauth/flow.test.ts',
  'test/oauth/token.test.ts',
  'test/oauth/login.test.ts',
  'test/oauth/bearer.test.ts',
  'test/console/session.test.ts',
  'test/mcp/legacy.test.ts',
  'test/mcp/elicitation.test.ts',
  'test/mcp/stream.test.ts',
  'test/gateway/clients.test.ts',
  'test/gateway/revoked-stream.test.ts',
  'test/gateway/approval-clients.test.ts',
  'test/gateway/second-factor.test.ts',
  'test/gateway/minted-door.test.ts',
];

/** A file that takes longer hangs. It fails by name instead of holding up the run. */
const FILE_TIMEOUT_MS = 300_000;
const LONG_FILE_TIMEOUT_MS = 3_600_000;
/** How many of the slowest files are listed at the end. */
const LISTED = 15;

/** One more than processors: files that wait for a program or a browser leave them idle. */
const LANES = availableParallelism() + 1;

process.chdir(resolve(import.meta.dirname, '..'));
process.env.NODE_COMPILE_CACHE ??= resolve('node_modules/.cache/gatehouse');

const unit = filesOf('src/**/*.test.ts', 'bench/**/*.test.ts');
const blackBox = filesOf('test/!(long)/**/*.test.ts', 'test/*.test.ts').filter(
  (file) => !Object.hasOwn(LONG, file),
);
const listed = [
  ...SLOW,
  ...Object.keys(OWN_PROCESS),
  ...Object.entries(LONG).flat(),
  ...ALSO_WITH_REPLICAS_LONG,
];
const missing = listed.filter((file) => !existsSync(file));
if (missing.length > 0) throw new Error(`test/run.ts lists files that do not exist: ${missing}`);

/** How long each file ran that had its own process. */
const durations: { readonly file: string; readonly ms: number }[] = [];

const [mode] = process.argv.slice(2);
if (mode === 'long') await runLong();
else if (mode === 'unit') await runShort(unit);
else await runShort([...unit, ...blackBox]);
process.stdout.write(slowest());

/**
 * Separate files run in `LANES` lanes, and one more runs the files that share a
 * process and then those with replicas, so that a file that waits leaves no processor idle.
 */
async function runShort(files: readonly string[]): Promise<void> {
  const shared = unit.filter((file) => !listed.includes(file));
  const separate = [
    ...SLOW.filter((file) => files.includes(file)),
    ...files.filter((file) => !shared.includes(file) && !SLOW.includes(file)),
  ];
  const blackBoxEnv = files === unit ? {} : await prepareBlackBox();
  const lane = async () => {
    const output = await runTogether(shared);
    return files === unit ? output : output + (await runWithReplicas(blackBoxEnv));
  };
  const [output] = await Promise.all([
    lane(),
    runSeparately(separate, LANES, FILE_TIMEOUT_MS, process.stdout, blackBoxEnv),
  ]);
  process.stdout.write(output);
}

/**
 * Builds the programs, which start faster so, and unpacks the browser. The build and what Node
 * compiles of it belong to this run, so that another run at the same time has its own.
 */
async function prepareBlackBox(): Promise<Record<string, string>> {
  const TEST_BUILD = mkdtempSync(join(tmpdir(), 'build-'));
  process.on('exit', () => rmSync(TEST_BUILD, { recursive: true, force: true }));
  chmodSync(TEST_BUILD, 0o755);
  symlinkSync(resolve('node_modules'), join(TEST_BUILD, 'node_modules'));
  const built = spawnSync(process.execPath, ['tools/build.ts', TEST_BUILD], { stdio: 'inherit' });
  if (built.status !== 0) throw new Error('the build failed');
  await browserPath();
  return { TEST_BUILD, NODE_COMPILE_CACHE: join(TEST_BUILD, 'compiled') };
}

/** Returns what its reporter printed. */
async function runWithReplicas(env: Record<string, string>): Promise<string> {
  const missing = replicasMissing();
  if (missing) return `skipped: the tests with three replicas: ${missing}\n`;
  const output = new PassThrough();
  const printed = text(output);
  output.write('The same with three replicas behind a balancer:\n');
  const replicas = { ...env, TEST_REPLICAS: '3' };
  await runSeparately(ALSO_WITH_REPLICAS, 1, FILE_TIMEOUT_MS, output, replicas);
  return printed;
}

/**
 * The long tests, then every case of the tests of which `npm test` runs a part, the pages in the
 * Chromium that is installed, and the files that run with replicas.
 */
async function runLong(): Promise<void> {
  const partial = [...unit, ...blackBox].filter(
    (file) =>
      file.endsWith('.browser.test.ts') ||
      /\b(propertyRuns\(|sampleOf\(|isLongRun\b)/.test(readFileSync(file, 'utf8')),
  );
  const files = [...filesOf('test/long/**/*.test.ts'), ...Object.keys(LONG), ...partial];
  const env = { ALL_CASES: '1' };
  await runSeparately(files, 1, LONG_FILE_TIMEOUT_MS, process.stdout, env);
  const replicas = { ...env, TEST_REPLICAS: '3' };
  await runSeparately(ALSO_WITH_REPLICAS_LONG, 1, LONG_FILE_TIMEOUT_MS, process.stdout, replicas);
}

/**
 * The files that took longest, and the processor time of the whole run: half of it is the least that
 * a run takes on two processors, whatever else they do.
 */
function slowest(): string {
  const lines = durations
    .toSorted((a, b) => b.ms - a.ms)
    .slice(0, LISTED)
    .map(({ file, ms }) => `${seconds(ms)}  ${relative('.', file)}\n`);
  return `The slowest files:\n${lines.join('')}${processorTime()}`;
}

/** Empty where the system does not tell it: of this process, and of all that have ended below it. */
function processorTime(): string {
  if (!existsSync('/proc/self/stat')) return '';
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]!.split(' ');
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return `${seconds(ticks * 10)}  of processor time in all\n`;
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`.padStart(9);
}

function filesOf(...patterns: readonly string[]): readonly string[] {
  return globSync(patterns).sort();
}

/** In one process. Returns what its reporter printed. */
async function runTogether(files: readonly string[]): Promise<string> {
  const flags = ['--test', '--test-isolation=none', `--test-timeout=${FILE_TIMEOUT_MS}`];
  const child = spawn(process.execPath, [...flags, ...files], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const closed = once(child, 'close');
  const output = await text(child.stdout);
  const [code] = await closed;
  if (code !== 0) process.exitCode = 1;
  return output;
}

/** Each in its own process. */
async function runSeparately(
  files: readonly string[],
  concurrency: number,
  timeout: number,
  output: Writable,
  variables: Readonly<Record<string, string>>,
): Promise<void> {
  const env = { ...process.env, ...variables };
  const stream = run({ files: files.map((file) => resolve(file)), concurrency, timeout, env });
  stream.on('test:summary', ({ file, success, duration_ms: ms }) => {
    if (!success) process.exitCode = 1;
    if (file !== undefined) durations.push({ file, ms });
  });
  const report = stream.compose(spec);
  report.pipe(output);
  await finished(report);
}
