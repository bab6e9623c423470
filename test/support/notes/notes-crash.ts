/**
 * Rounds of kill -9 against the server while several clients write through MCP. After every restart
 * what was acknowledged is there, every note is old or new, no file is stray, the index is what a
 * rebuild gives, and git holds a commit for each acknowledged change.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import type { Cleaner } from '../programs/cleaner.ts';
import { assertIndexIsFresh } from './index-equality.ts';
import { dataDirectory, type NotesProcess, startNotes } from './notes.ts';
import { tree, until } from './notes-storage.ts';
import { allLoads, type Load } from './writing-load.ts';

/** Most rounds end when every client is under way, some while the threads still start. */
const EARLY_KILLS = 4;
const MAX_LOAD_MS = 400;

export interface CrashFigures {
  readonly rounds: number;
  acknowledged: number;
  keptAtRestart: number;
  takenBack: number;
}

export async function crashRounds(
  context: Cleaner,
  rounds: number,
  git: boolean,
): Promise<CrashFigures> {
  const data = dataDirectory(context);
  const root = join(data, 'default');
  const figures: CrashFigures = { rounds, acknowledged: 0, keptAtRestart: 0, takenBack: 0 };
  const changeIds: string[] = [];
  let running: Running;
  const loads = allLoads((args) => running.planHash(args));
  const files = Object.fromEntries(
    loads.flatMap((load) =>
      Object.entries(load.files).map(([path, content]) => [`default/${path}`, content]),
    ),
  );
  let number = 0;
  for (let round = 0; round <= rounds; round++) {
    const server = await startNotes(context, {
      data,
      ...(round === 0 && { files }),
      env: { NOTES_GIT: String(git) },
    });
    await Promise.all([server.indexed(), server.token()]);
    countRecovered(server, figures);
    if (git) await until(() => isCommitted(server));
    for (const load of loads) load.check(root);
    assertNothingStray(await tree(root));
    await assertIndexIsFresh(root);
    if (git) checkHistory(root, changeIds);
    if (round === rounds) {
      assert.equal(await server.stop(), 0);
      break;
    }
    running = new Running(server, await server.token(), changeIds);
    number = await loadAndKill(running, loads, number);
  }
  figures.acknowledged = changeIds.length;
  return figures;
}

/** The clients of one round, from the first call to the kill. */
class Running {
  readonly server: NotesProcess;
  readonly #token: string;
  readonly #changeIds: string[];
  #killed = false;

  constructor(server: NotesProcess, token: string, changeIds: string[]) {
    this.server = server;
    this.#token = token;
    this.#changeIds = changeIds;
  }

  get killed(): boolean {
    return this.#killed;
  }

  /** At a random moment after the others are under way. */
  async kill(underWay: Promise<unknown>): Promise<void> {
    await underWay;
    const { promise, resolve } = Promise.withResolvers<void>();
    setTimeout(resolve, randomInt(0, MAX_LOAD_MS));
    await promise;
    this.#killed = true;
    this.server.signal('SIGKILL');
    await this.server.exited;
  }

  async write(tool: string, args: object): Promise<boolean> {
    const value = await this.#call(tool, args);
    if (value === undefined) return false;
    this.#changeIds.push(String(value.change_id));
    return true;
  }

  async planHash(args: object): Promise<string | undefined> {
    const value = await this.#call('vault_replace', args);
    return value && String(value.plan_hash);
  }

  /** Undefined where the server was killed before its answer came. */
  async #call(tool: string, args: object): Promise<Record<string, unknown> | undefined> {
    let raw: string;
    try {
      const response = await fetch(`${this.server.url}/mcp`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${this.#token}` },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: tool, arguments: args },
        }),
      });
      raw = await response.text();
    } catch (error) {
      if (this.#killed) return undefined;
      throw error;
    }
    const { result } = JSON.parse(raw);
    assert.ok(result && result.isError !== true, `${tool} ${JSON.stringify(args)}: ${raw}`);
    return result.structuredContent;
  }
}

/** Each load is a client of its own, with a connection of its own, and waits only for itself. */
async function loadAndKill(
  running: Running,
  loads: readonly Load[],
  from: number,
): Promise<number> {
  let number = from;
  const call = (tool: string, args: object) => running.write(tool, args);
  const begun = loads.map((load) => load.step(call, ++number));
  const isEarly = randomInt(0, EARLY_KILLS) === 0;
  await Promise.all([
    running.kill(isEarly ? Promise.race(begun) : Promise.all(begun)),
    ...loads.map(async (load, at) => {
      await begun[at];
      while (!running.killed) await load.step(call, ++number);
    }),
  ]);
  return number;
}

async function isCommitted(server: NotesProcess): Promise<boolean> {
  const { value } = await server.call('vault_stats');
  const { head, pending, last_error } = value.git;
  return head !== null && pending === 0 && last_error === null;
}

function countRecovered(server: NotesProcess, figures: CrashFigures): void {
  for (const { event, outcome } of server.lines()) {
    if (event !== 'change_recovered') continue;
    if (outcome === 'kept') figures.keptAtRestart++;
    else figures.takenBack++;
  }
}

const KNOWN =
  /^(?:(?:log|hub|where|meta)\.md|(?:made|sum|in|long)\/\d+\.md|parts\/part \d+\.md|(?:topics|deep\/er)\/t\d+\.md|box\d+\/(?:a|in\/b)\.md|many\/n\d\.md)$/;

function assertNothingStray(paths: readonly string[]): void {
  assert.deepEqual(
    paths.filter((path) => !KNOWN.test(path)),
    [],
  );
}

function checkHistory(root: string, changeIds: readonly string[]): void {
  const run = (...args: string[]): string =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  assert.equal(run('status', '--porcelain'), '', 'nothing is left to commit');
  run('fsck', '--strict');
  const trailers = run('log', '--format=%(trailers:key=Notes-Change,valueonly,separator=)');
  const committed = trailers.split('\n').filter((line) => line !== '');
  const known = new Set(committed);
  assert.equal(known.size, committed.length, 'no change has two commits');
  assert.deepEqual(
    changeIds.filter((id) => !known.has(id)),
    [],
    'every acknowledged change has its commit',
  );
}
