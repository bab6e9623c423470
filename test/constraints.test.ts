/**
 * What the images, manifests and units ask of the programs, they can live with: uid 65532, no
 * capability, no new privileges, nothing on disk that can be written. The notes have their data
 * directory and need no other: no temporary directory and no home.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { callTool, signIn } from './support/gateway/gateway.ts';
import { gitHttpServer } from './support/notes/git-http.ts';
import { notesEnvironment, PASSWORD, place, USERNAME } from './support/notes/notes.ts';
import { until } from './support/notes/notes-storage.ts';
import { type Confined, cannotConfine, startConfined } from './support/programs/confined.ts';
import { entryOf } from './support/programs/entry.ts';
import { freePort } from './support/programs/free-port.ts';
import { statusOf, writableFiles } from './support/programs/process.ts';

const skip = cannotConfine();

/** Tries to write in every place a program might think of, and says what came of it. */
const TRY_TO_WRITE = `
const { writeFileSync } = require('node:fs');
const { tmpdir, homedir } = require('node:os');
const places = [tmpdir(), homedir(), process.cwd(), '/var/tmp', process.env.PLACE];
const outcomes = places.map((place) => {
  try { writeFileSync(place + '/written-by-a-test', ''); return 'written'; }
  catch (error) { return error.code; }
});
console.log(JSON.stringify(outcomes));
`;

let directory: string;
before(() => {
  directory = mkdtempSync(join(tmpdir(), 'constraints-'));
  // Its owner may write here: only the read-only mount can refuse it.
  chmodSync(directory, 0o777);
});
after(() => rmSync(directory, { recursive: true, force: true }));

function assertConfined({ pid }: Confined): void {
  assert.equal(statusOf(pid, 'Uid'), '65532\t65532\t65532\t65532');
  assert.equal(statusOf(pid, 'Gid'), '65532\t65532\t65532\t65532');
  assert.equal(statusOf(pid, 'NoNewPrivs'), '1');
  for (const set of ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb']) {
    assert.equal(statusOf(pid, set), '0000000000000000', set);
  }
}

describe('confined as in a container', { skip }, () => {
  test('nothing can be written anywhere, so that the tests below can fail', async () => {
    const probe = startConfined(['-e', TRY_TO_WRITE], { PLACE: directory, HOME: directory });
    await probe.written(']');
    const outcomes: string[] = JSON.parse(probe.output());
    assert.deepEqual([...new Set(outcomes)], ['EROFS']);
    await probe.stop();
  });

  test('/proc has the own process, and neither another one nor the machine', async () => {
    const code = `const { existsSync } = require('node:fs');
      console.log(JSON.stringify(['self/stat', '1/stat', 'meminfo', 'cpuinfo', 'sys']
        .filter((name) => existsSync('/proc/' + name))))`;
    const probe = startConfined(['-e', code], {});
    await probe.written(']');
    assert.deepEqual(JSON.parse(probe.output()), ['self/stat']);
    await probe.stop();
  });

  test('one directory can be written where it is given, and nothing around it', async () => {
    const own = join(directory, 'own');
    mkdirSync(own);
    chmodSync(own, 0o777);
    const env = { PLACE: own, HOME: directory };
    const probe = startConfined(['-e', TRY_TO_WRITE], env, own);
    await probe.written(']');
    const outcomes: string[] = JSON.parse(probe.output());
    assert.equal(outcomes.pop(), 'written');
    assert.deepEqual([...new Set(outcomes)], ['EROFS']);
    await probe.stop();
  });

  test('the gateway serves, signs in, answers a call and stops', async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const config = join(directory, 'config.yaml');
    writeFileSync(config, JSON.stringify({ users: [{ name: 'alice', password: PASSWORD }] }));
    const gateway = startConfined([entryOf('gateway')], {
      GATEWAY_CONFIG: config,
      GATEWAY_LISTEN: `127.0.0.1:${port}`,
      GATEWAY_PUBLIC_URL: url,
    });
    try {
      await gateway.written('"event":"startup"');
      assertConfined(gateway);
      const { accessToken } = await signIn(url, 'alice', PASSWORD);
      const { value } = await callTool(url, accessToken, 'list_targets');
      assert.deepEqual(value, { targets: [], allow_any: false });
      assert.deepEqual(writableFiles(gateway.pid), []);
    } finally {
      assert.equal(await gateway.stop(), 0, gateway.output());
    }
    assertOnlyEvents(gateway);
  });

  test('the gateway sees a changed configuration on a read-only file system', async () => {
    const port = await freePort();
    const config = join(directory, 'changed.yaml');
    writeFileSync(config, JSON.stringify({ users: [{ name: 'alice', password: PASSWORD }] }));
    const gateway = startConfined([entryOf('gateway')], {
      GATEWAY_CONFIG: config,
      GATEWAY_LISTEN: `127.0.0.1:${port}`,
      GATEWAY_PUBLIC_URL: `http://127.0.0.1:${port}`,
    });
    try {
      await gateway.written('"event":"startup"');
      writeFileSync(config, JSON.stringify({ users: [] }));
      await gateway.written('"event":"config_reloaded","users":0');
    } finally {
      assert.equal(await gateway.stop(), 0, gateway.output());
    }
  });

  test('the decoys answer and stop', async () => {
    const port = await freePort();
    const decoys = startConfined([entryOf('decoys')], {
      DECOYS_LISTEN: `127.0.0.1:${port}`,
      DECOYS_KEY: 'a key of the tests alone',
    });
    try {
      await decoys.written('"event":"startup"');
      assertConfined(decoys);
      const answer = await fetch(`http://127.0.0.1:${port}/.aws/credentials`);
      assert.match(await answer.text(), /aws_access_key_id/);
      await decoys.written('"event":"decoy_hit"');
      assert.deepEqual(writableFiles(decoys.pid), []);
    } finally {
      assert.equal(await decoys.stop(), 0, decoys.output());
    }
    assertOnlyEvents(decoys);
  });
});

describe('the notes, confined so but for their data directory', { skip }, () => {
  test('index, commit, push with a token, undo, search and stop', async (context) => {
    const data = join(directory, 'data');
    const remotes = join(directory, 'remotes');
    execFileSync('git', ['init', '--quiet', '--bare', join(remotes, 'notes.git')]);
    execFileSync('git', ['-C', join(remotes, 'notes.git'), 'config', 'http.receivepack', 'true']);
    // So many that the threads of the index take part.
    const files = Array.from({ length: 600 }, (_, n) => [`default/${n}.md`, `# Quince ${n}\n`]);
    place(data, Object.fromEntries(files));
    execFileSync('chown', ['-R', '65532:65532', data]);
    chmodSync(data, 0o700);
    const server = await gitHttpServer(context, remotes, 'a-token-of-the-tests');
    const port = await freePort();
    const env = {
      ...notesEnvironment(data, port),
      NOTES_GIT: 'true',
      NOTES_GIT_REMOTE: `${server.url}/notes.git`,
      NOTES_GIT_TOKEN: 'a-token-of-the-tests',
    };
    const notes = startConfined([entryOf('notes')], env, data);
    const git = (root: string, ...args: string[]) =>
      execFileSync('git', ['-c', 'safe.directory=*', '-C', root, ...args], { encoding: 'utf8' });
    try {
      await notes.written('"event":"startup"');
      assertConfined(notes);
      await notes.written('"event":"index_ready"');
      const url = `http://127.0.0.1:${port}`;
      const { accessToken } = await signIn(url, USERNAME, PASSWORD);
      const call = async (tool: string, args: object) => {
        const { isError, value, raw } = await callTool(url, accessToken, tool, args);
        assert.equal(isError, false, raw);
        return value;
      };
      await call('note_create', { path: 'new.md', content: '# Medlar\n' });
      const gone = await call('note_delete', { path: '599.md' });
      await call('change_undo', { change_id: gone.change_id });
      const { hits } = await call('note_search', { query: 'medlar' });
      assert.equal((hits as unknown[]).length, 1);
      const pushed = () =>
        git(join(remotes, 'notes.git'), 'for-each-ref', '--format=%(objectname)').trim();
      const vault = join(data, 'default');
      await until(() => git(vault, 'log', '--format=%s').includes('599.md'));
      await until(() => pushed() === git(vault, 'rev-parse', 'HEAD').trim());
      assert.match(git(vault, 'ls-files'), /^new\.md$/m);
      const open = writableFiles(notes.pid);
      assert.ok(open.includes(join(vault, '.notes/index.db')), open.join());
      assert.deepEqual(
        open.filter((path) => !path.startsWith(`${data}/`)),
        [],
      );
    } finally {
      assert.equal(await notes.stop(), 0, notes.output());
    }
    assertOnlyEvents(notes);
    assert.doesNotMatch(notes.output(), /"level":"(warn|error)"/);
    assert.equal(git(join(data, 'default'), 'status', '--porcelain'), '');
  });
});

/** The compile cache cannot be written, and nobody is told: every line is an event. */
function assertOnlyEvents(program: Confined): void {
  for (const line of program.output().trim().split('\n')) {
    assert.ok(JSON.parse(line).event, line);
    assert.doesNotMatch(line, /EROFS|EACCES|read-only/i);
  }
}
