/**
 * The shell blocks of a document as a reader meets them: one terminal in which they are typed one
 * after the other, in a folder that looks like a checkout, with separate ports. A `text` block after a shell
 * block is what it prints. A comment in the line before a shell block says what is special:
 *
 *   <!-- not run: needs Docker -->   it is left out, and counted
 *   <!-- needs: caddy -->            it is left out where that program is not installed
 *   <!-- stays -->                   it runs on; the next block comes once it has printed its text
 *   <!-- exits: 1 -->                that is its exit code; without, it is 0
 *
 * In a text block `…` is any text within a line, and a line of `…` alone is any lines. Times,
 * durations, and what is drawn at random are compared by their shape.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { entryOf } from '../programs/entry.ts';
import { freePorts } from '../programs/free-port.ts';
import { PATIENCE_MS } from '../programs/patience.ts';

const { NODE_COMPILE_CACHE } = process.env;
const ROOT = join(import.meta.dirname, '../../..');
const COPIED = ['deploy', 'docs', 'package.json'];
/** Nothing that a reader types writes to them, and Node knows what it compiled by where it lies. */
const LINKED = ['bin', 'src', 'examples', 'node_modules'];
const PROGRAMS = ['gateway', 'notes', 'decoys'] as const;
/** The ports that documents name; each stands for one that was free a moment ago. */
const PORTS = [2019, 2020, 2021, 2022, 3019, 3020, 3021];
/** Of as many digits, so that what is counted in bytes is the same. */
const OF_FOUR_DIGITS = { first: 5_000, end: 9_000 };
const LOOK_MS = 50;
/** The code of a block in which a command failed that was not the last. */
const IN_BETWEEN = 99;

export interface Block {
  readonly line: number;
  readonly text: string;
  readonly output: string | undefined;
  readonly notRun: string | undefined;
  readonly needs: string | undefined;
  readonly stays: boolean;
  readonly exits: number;
}

interface Fence {
  readonly line: number;
  readonly kind: string;
  readonly text: string;
  readonly comment: string;
}

export function fencesOf(markdown: string): Fence[] {
  const pattern = /(?:^<!-- (.+?) -->\n)?^```(.*)\n([\s\S]*?)^```$/gm;
  return [...markdown.matchAll(pattern)].map(({ 1: comment = '', 2: kind, 3: text, index }) => ({
    line: markdown.slice(0, index).split('\n').length,
    kind: kind!,
    text: text!,
    comment,
  }));
}

export function blocksOf(markdown: string): Block[] {
  const fences = fencesOf(markdown);
  return fences.flatMap(({ line, kind, text, comment }, index) => {
    if (kind !== 'sh') return [];
    const next = fences[index + 1];
    const saying = (name: string) => new RegExp(`^${name}: (.+)$`).exec(comment)?.[1];
    const [notRun, needs, exits] = ['not run', 'needs', 'exits'].map(saying);
    const stays = comment === 'stays';
    const isKnown = comment === '' || stays || (notRun ?? needs ?? exits) !== undefined;
    assert.ok(isKnown, `line ${line}: "${comment}" is no mark of a block`);
    const output = next?.kind === 'text' ? next.text : undefined;
    assert.ok(!stays || output, `line ${line}: what stays needs a text block that shows it is up`);
    return [{ line, text, output, notRun, needs, stays, exits: Number(exits ?? 0) }];
  });
}

/** Whether what was printed is what the text block shows. */
export function isAsShown(printed: string, shown: string): boolean {
  const lines = shapeOf(shown.trimEnd()).split('\n');
  const patterns = lines.map((line) =>
    line === '…' ? '(?:.*\\n)*?' : `${line.split('…').map(RegExp.escape).join('.*')}\\n`,
  );
  return new RegExp(`^${patterns.join('')}$`).test(`${shapeOf(printed.trimEnd())}\n`);
}

/** Each of these differs from run to run. */
const SHAPES: readonly [RegExp, string][] = [
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, '<time>'],
  [/\d{4}-\d\d-\d\d \d\d:\d\d(?::\d\d)?/g, '<time>'],
  [/\d{4}-\d\d-\d\d/g, '<day>'],
  [/("duration_ms": ?)\d+/g, '$1<ms>'],
  [/ *\b\d+ ms\b/g, ' <ms>'],
  [/("client_id":")[\w-]{22}/g, '$1<id>'],
  [/("(?:honeytoken\.hash|header_order)":")[0-9a-f]+/g, '$1<hash>'],
  [/\b[0-9a-f]{7,40}\b(?= note_)/g, '<commit>'],
  [/hp_live_[a-z2-7]{32}/g, 'hp_live_<token>'],
  [/hp_live_[a-z2-7]{8}…/g, 'hp_live_<part>'],
  [/bcrypt:\$2b\$12\$[./A-Za-z0-9]{53}/g, 'bcrypt:<hash>'],
];

function shapeOf(text: string): string {
  return SHAPES.reduce((shaped, [pattern, shape]) => shaped.replace(pattern, shape), text);
}

export function isInstalled(program: string): boolean {
  return spawnSync('sh', ['-c', `command -v "${program}"`]).status === 0;
}

/** One terminal of one reader. */
export class Reader {
  readonly #place = mkdtempSync(join(tmpdir(), 'book-'));
  readonly #ports: ReadonlyMap<number, number>;
  readonly #shell: ChildProcess;
  readonly #ended: Promise<unknown>;
  #count = 0;

  static async open(): Promise<Reader> {
    return new Reader(await portsOfReader());
  }

  private constructor(ports: ReadonlyMap<number, number>) {
    this.#ports = ports;
    const copy = join(this.#place, 'gatehouse');
    for (const name of COPIED) {
      cpSync(join(ROOT, name), join(copy, name), { recursive: true });
    }
    for (const name of LINKED) symlinkSync(join(ROOT, name), join(copy, name));
    for (const folder of ['bin', 'home', 'blocks']) mkdirSync(join(this.#place, folder));
    for (const program of PROGRAMS) {
      this.#command(program, `exec "${process.execPath}" "${entryOf(program)}" "$@"`);
    }
    // The dependencies are there, and they are those of the checkout, which stay as they are.
    const npm = spawnSync('sh', ['-c', 'command -v npm'], { encoding: 'utf8' }).stdout.trim();
    this.#command('npm', `[ "$1" = ci ] && exit 0\nexec "${npm}" "$@"`);
    this.#shell = spawn('bash', ['--norc', '--noprofile'], {
      cwd: copy,
      // A separate group: what a block leaves running ends with it.
      detached: true,
      stdio: ['pipe', 'ignore', 'inherit'],
      env: {
        PATH: `${join(this.#place, 'bin')}:${process.env.PATH}`,
        HOME: join(this.#place, 'home'),
        QUICKSTART_PORT: String(ports.get(2019)),
        QUICKSTART_DATA: join(copy, 'data'),
        ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }),
        npm_config_loglevel: 'error',
        npm_config_update_notifier: 'false',
      },
    });
    this.#ended = once(this.#shell, 'close');
    this.#shell.stdin!.write('set -o pipefail\n');
  }

  #command(name: string, script: string): void {
    const file = join(this.#place, 'bin', name);
    writeFileSync(file, `#!/bin/sh\n${script}\n`);
    chmodSync(file, 0o755);
  }

  /** Types a block and says what it printed and how it ended; one that stays has no end yet. */
  async type({ text, stays, output = '' }: Block): Promise<{ printed: string; code: number }> {
    this.#count += 1;
    const name = join(this.#place, 'blocks', String(this.#count));
    writeFileSync(`${name}.sh`, this.#withOwnPorts(text));
    // Every command counts, not the last one alone.
    const here = [
      'book_failed=0; trap "book_failed=1" ERR',
      `. "${name}.sh" > "${name}.out" 2>&1 < /dev/null; book_code=$?; trap - ERR`,
      `[ "$book_code$book_failed" != 01 ] || book_code=${IN_BETWEEN}`,
      `echo "$book_code" > "${name}.code.new"; mv "${name}.code.new" "${name}.code"`,
    ].join('\n');
    this.#shell.stdin!.write(stays ? `{ ${here}\n} &\n` : `${here}\n`);
    const deadline = Date.now() + PATIENCE_MS;
    for (;;) {
      // In this order: what was printed is whole once the code is there.
      const code = readIfThere(`${name}.code`);
      const printed = this.#withShownPorts(readIfThere(`${name}.out`));
      if (code !== '') return { printed, code: Number(code) };
      if (stays && isAsShown(printed, output)) return { printed, code: 0 };
      assert.ok(Date.now() < deadline, `it did not come to an end: ${text}${printed}`);
      await delay(LOOK_MS);
    }
  }

  #withOwnPorts(text: string): string {
    return text.replace(/(?<=:)\d{4}\b/g, (port) => String(this.#ports.get(Number(port)) ?? port));
  }

  #withShownPorts(text: string): string {
    const shown = new Map([...this.#ports].map(([shown, own]) => [String(own), String(shown)]));
    return text.replace(/(?<=:)\d{4}\b/g, (port) => shown.get(port) ?? port);
  }

  async close(): Promise<void> {
    const group = -this.#shell.pid!;
    process.kill(group, 'SIGTERM');
    await this.#ended;
    while (isAlive(group)) await delay(LOOK_MS);
    rmSync(this.#place, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
}

function isAlive(group: number): boolean {
  try {
    return process.kill(group, 0);
  } catch {
    return false;
  }
}

function readIfThere(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

/** Four in a row for the quickstart, and one for each of the others. */
async function portsOfReader(): Promise<Map<number, number>> {
  const first = await freePorts(PORTS.length, OF_FOUR_DIGITS);
  return new Map(PORTS.map((port, index) => [port, first + index]));
}
