/**
 * What clients do to a vault without pause while its server is killed, and what must hold of the
 * files whenever it was: each load counts upwards, knows what was acknowledged, and can tell old and
 * new from half-done.
 */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/** Makes one call that must succeed; false once the server is gone. */
export type Call = (tool: string, args: object) => Promise<boolean>;

export interface Load {
  /** The vault before the first round. */
  readonly files: Readonly<Record<string, string>>;
  /** The step of this number; it says what was acknowledged by the calls themselves. */
  step(call: Call, number: number): Promise<void>;
  check(root: string): void;
}

function text(root: string, path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

function names(root: string, folder: string): string[] {
  return existsSync(join(root, folder)) ? readdirSync(join(root, folder)) : [];
}

/** Long enough to be seen in halves, and whole when its first line is its last. */
function whole(number: number): string {
  return `${number}\n${'x'.repeat((number % 7) * 3000)}\n${number}\n`;
}

function appends(): Load {
  const acknowledged: number[] = [];
  return {
    files: { 'log.md': '# Log\n' },
    step: async (call, n) => {
      const args = { path: 'log', mode: 'append_to_note', content: `- line ${n} end` };
      if (await call('note_section_edit', args)) acknowledged.push(n);
    },
    check: (root) => {
      const lines = text(root, 'log.md')
        .split('\n')
        .slice(1)
        .filter((line) => line !== '');
      for (const line of lines) assert.match(line, /^- line \d+ end$/);
      assert.equal(new Set(lines).size, lines.length, 'no line is there twice');
      const there = new Set(lines.map((line) => Number(line.split(' ')[2])));
      assert.deepEqual(
        acknowledged.filter((n) => !there.has(n)),
        [],
        'every line is there',
      );
    },
  };
}

function creations(): Load {
  const made = new Set<number>();
  const deleted = new Set<number>();
  return {
    files: {},
    step: async (call, n) => {
      if (await call('note_create', { path: `made/${n}`, content: whole(n) })) made.add(n);
      const old = [...made].find((one) => one < n - 3);
      if (old === undefined) return;
      made.delete(old);
      if (await call('note_delete', { path: `made/${old}.md` })) deleted.add(old);
    },
    check: (root) => {
      for (const name of names(root, 'made')) {
        const [first, , last] = text(root, `made/${name}`).split('\n');
        assert.deepEqual([first, last], [name.slice(0, -3), name.slice(0, -3)], `${name} is whole`);
      }
      for (const n of made) assert.ok(existsSync(join(root, `made/${n}.md`)), `${n} is there`);
      for (const n of deleted) assert.ok(!existsSync(join(root, `made/${n}.md`)), `${n} is gone`);
    },
  };
}

/** A note goes to and fro, and all links go with it or none. */
function moves(): Load {
  const place = (n: number) => `${n % 2 === 0 ? 'topics' : 'deep/er'}/t${n}.md`;
  let [current, acknowledged] = [0, 0];
  return {
    files: {
      'topics/t0.md': '[hub](../hub.md)\n\n## h\n',
      'hub.md': '[[t0#h|l]] ![[t0]] [x](topics/t0.md#h)\n',
    },
    step: async (call, n) => {
      if (!(await call('note_move', { path: place(current), to: place(n) }))) return;
      [current, acknowledged] = [n, n];
    },
    check: (root) => {
      const there = ['topics', 'deep/er'].flatMap((folder) =>
        names(root, folder).map((name) => `${folder}/${name}`),
      );
      assert.equal(there.length, 1, `one of ${there}`);
      current = Number(/t(\d+)\.md$/.exec(there[0]!)![1]);
      assert.ok(current >= acknowledged, 'an acknowledged move stands');
      assert.equal(there[0], place(current));
      const hub = `[[t${current}#h|l]] ![[t${current}]] [x](${place(current)}#h)\n`;
      assert.equal(text(root, 'hub.md'), hub);
      const own = /\((.*)\)/.exec(text(root, place(current)))![1]!;
      assert.equal(posix.join(posix.dirname(place(current)), own), 'hub.md');
    },
  };
}

function folderMoves(): Load {
  let [current, acknowledged] = [0, 0];
  return {
    files: {
      'box0/a.md': '[b](in/b.md) [[box0/in/b]]\n',
      'box0/in/b.md': '[a](../a.md) [w](../../where.md)\n',
      'where.md': '[a](box0/a.md) [[box0/in/b]]\n',
    },
    step: async (call, n) => {
      if (!(await call('note_move', { path: `box${current}/`, to: `box${n}/` }))) return;
      [current, acknowledged] = [n, n];
    },
    check: (root) => {
      const boxes = names(root, '').filter((name) => name.startsWith('box'));
      assert.equal(boxes.length, 1, `one of ${boxes}`);
      current = Number(boxes[0]!.slice(3));
      assert.ok(current >= acknowledged, 'an acknowledged move stands');
      const box = `box${current}`;
      assert.equal(text(root, 'where.md'), `[a](${box}/a.md) [[${box}/in/b]]\n`);
      assert.equal(text(root, `${box}/a.md`), `[b](in/b.md) [[${box}/in/b]]\n`);
      assert.equal(text(root, `${box}/in/b.md`), '[a](../a.md) [w](../../where.md)\n');
    },
  };
}

/** Ten notes have one version, always. */
function replacements(planHash: (args: object) => Promise<string | undefined>): Load {
  const paths = Array.from({ length: 10 }, (_, n) => `many/n${n}.md`);
  let [current, acknowledged] = [0, 0];
  return {
    files: Object.fromEntries(paths.map((path) => [path, 'version v0.\n'])),
    step: async (call, n) => {
      const args = { pattern: `v${current}.`, replace: `v${n}.`, prefix: 'many' };
      const plan_hash = await planHash(args);
      if (plan_hash === undefined) return;
      if (!(await call('vault_replace', { ...args, dry_run: false, plan_hash }))) return;
      [current, acknowledged] = [n, n];
    },
    check: (root) => {
      const versions = new Set(paths.map((path) => text(root, path)));
      assert.equal(versions.size, 1, [...versions].join());
      current = Number(/^version v(\d+)\.\n$/.exec([...versions][0]!)![1]);
      assert.ok(current >= acknowledged, 'an acknowledged replacement stands');
    },
  };
}

/** A note goes into another, and sections become notes. */
function mergesAndSplits(): Load {
  const [merged, split] = [new Set<number>(), new Set<number>()];
  const seen = new Set<number>();
  return {
    files: {},
    step: async (call, n) => {
      seen.add(n);
      const content = `# S ${n}\n\n## part ${n}\n\n[[#part ${n}]]\n`;
      if (!(await call('note_create', { path: `sum/${n}`, content: '# Sum\n' }))) return;
      if (!(await call('note_create', { path: `in/${n}`, content: `entry ${n}.\n` }))) return;
      if (await call('note_merge', { path: `in/${n}`, into: `sum/${n}` })) merged.add(n);
      if (!(await call('note_create', { path: `long/${n}`, content }))) return;
      if (await call('note_split', { path: `long/${n}`, level: 2, to: 'parts/' })) split.add(n);
    },
    check: (root) => {
      const has = (path: string) => existsSync(join(root, path));
      for (const n of seen) {
        const isMerged = has(`sum/${n}.md`) && text(root, `sum/${n}.md`).includes(`entry ${n}.`);
        assert.ok(!(isMerged && has(`in/${n}.md`)), `${n} is merged or not`);
        assert.ok(isMerged || !merged.has(n), `${n} was merged`);
        const isSplit = has(`parts/part ${n}.md`);
        const link = has(`long/${n}.md`) && text(root, `long/${n}.md`).includes(`\n[[part ${n}]]`);
        assert.equal(link, isSplit, `${n} is split or not`);
        assert.ok(isSplit || !split.has(n), `${n} was split`);
      }
    },
  };
}

function properties(): Load {
  let acknowledged = 0;
  return {
    files: { 'meta.md': '---\nn: 0\n---\n- [ ] task\n' },
    step: async (call, n) => {
      if (await call('note_frontmatter', { path: 'meta', set: { n } })) acknowledged = n;
    },
    check: (root) => {
      const found = /^---\nn: (\d+)\n---\n- \[ \] task\n$/.exec(text(root, 'meta.md'));
      assert.ok(found && Number(found[1]) >= acknowledged, text(root, 'meta.md'));
    },
  };
}

export function allLoads(planHash: (args: object) => Promise<string | undefined>): Load[] {
  return [
    appends(),
    creations(),
    moves(),
    folderMoves(),
    replacements(planHash),
    mergesAndSplits(),
    properties(),
  ];
}
