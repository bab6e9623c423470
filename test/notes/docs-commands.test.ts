/**
 * What docs/notes.md tells people to type works: its transcripts are what is printed, its shell
 * blocks run one after the other in an empty directory beside the server that one of them starts,
 * and examples/notes.env is a configuration.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { testTranscripts } from '../support/docs/transcripts.ts';
import { NOTES_ENTRY } from '../support/notes/notes.ts';
import { until } from '../support/notes/notes-storage.ts';
import { freePort } from '../support/programs/free-port.ts';

const REFERENCE = readFileSync(new URL('../../docs/notes.md', import.meta.url), 'utf8');
const EXAMPLE = readFileSync(new URL('../../examples/notes.env', import.meta.url), 'utf8');
/** Installs something, or speaks to a client that is not here. */
const NOT_TO_RUN = /^(npm|claude) /m;

const blocksOf = (kind: string) =>
  [...REFERENCE.matchAll(new RegExp(`^\`\`\`${kind}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(
    ([, text]) => text!,
  );

const folder = mkdtempSync(join(tmpdir(), 'notes-docs-'));
const shim = join(folder, 'bin');
mkdirSync(shim);
writeFileSync(join(shim, 'notes'), `#!/bin/sh\nexec "${process.execPath}" "${NOTES_ENTRY}" "$@"\n`);
chmodSync(join(shim, 'notes'), 0o755);
after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
const environment = { PATH: `${shim}:${process.env.PATH}` };

describe('the transcripts', () => {
  const place = join(folder, 'transcripts');
  mkdirSync(place);
  const blocks = blocksOf('console');
  for (const [index, text] of blocks.entries()) writeFileSync(join(place, `${index}.txt`), text);
  testTranscripts(place, 'notes', NOTES_ENTRY);

  test('show every command but the one that runs the server', () => {
    for (const command of ['reindex', 'validate', 'hashpw', 'completion', 'version', 'help']) {
      assert.match(blocks.join(''), new RegExp(`^\\$ .*\\bnotes ${command}\\b`, 'm'));
    }
  });
});

describe('the shell blocks', () => {
  const place = join(folder, 'blocks');
  const blocks = blocksOf('sh').filter((block) => !NOT_TO_RUN.test(block));
  const startsServer = (block: string) => /^notes$/m.test(block);
  let port: number;
  let server: ChildProcess | undefined;

  before(async () => {
    mkdirSync(place);
    port = await freePort();
  });
  after(async () => {
    if (server === undefined || server.exitCode !== null) return;
    const ended = once(server, 'exit');
    // The shell and the server, which are a group of their own.
    process.kill(-server.pid!, 'SIGTERM');
    await ended;
  });

  test('are those that are run here, and the one that starts the server comes first', () => {
    assert.ok(blocks.length >= 4, `${blocks.length}`);
    assert.deepEqual(blocks.map(startsServer).lastIndexOf(true), 0);
  });

  for (const block of blocks) {
    test(block.split('\n')[0]!, async () => {
      const text = block.replaceAll('2020', String(port));
      const options = { cwd: place, env: environment };
      if (startsServer(block)) {
        server = spawn('/bin/sh', ['-e', '-c', text], { ...options, detached: true });
        let printed = '';
        server.stdout!.setEncoding('utf8').on('data', (chunk: string) => {
          printed += chunk;
        });
        await until(() => printed.includes('"index_ready"') || server!.exitCode !== null);
        assert.match(printed, /^OK\npublic_url http/);
        assert.match(printed, /"event":"startup"/);
        writeFileSync(join(place, 'data/default/bread.md'), '# Bread\n');
        return;
      }
      const { status, stdout, stderr } = spawnSync('/bin/sh', ['-e', '-c', text], {
        ...options,
        encoding: 'utf8',
      });
      assert.equal(status, 0, stdout + stderr);
    });
  }

  test('leave a backup without what is rebuilt, and what was restored has every note', () => {
    const list = spawnSync('tar', ['-tzf', join(place, 'notes-backup.tar.gz')], {
      encoding: 'utf8',
    }).stdout.split('\n');
    assert.ok(list.includes('./default/bread.md'), list.join());
    assert.deepEqual(
      list.filter((name) => /index\.db|\.notes\.(lock|sock)/.test(name)),
      [],
    );
    assert.equal(readFileSync(join(place, 'restored/default/bread.md'), 'utf8'), '# Bread\n');
    assert.ok(existsSync(join(place, 'restored/default/.notes/index.db')));
  });
});

/**
 * But for those of the store, which `validate` connects to, and of files that are not here, and with a
 * vault that is written.
 */
const EVERY_VARIABLE = EXAMPLE.replaceAll(/^#(NOTES_)/gm, '$1')
  .replaceAll(/^NOTES_(STORE|SEAL_KEY|DECOYS_PERSONA|DECOYS_FILE)=.*$/gm, '')
  .replace(/^NOTES_TOTP=.*$/m, 'NOTES_TOTP=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP')
  .replace('NOTES_READONLY=true', 'NOTES_READONLY=false');

describe('examples/notes.env', () => {
  const validate = (text: string) => {
    const place = mkdtempSync(join(folder, 'env-'));
    mkdirSync(join(place, 'data'));
    writeFileSync(join(place, 'notes.env'), text);
    const command = 'set -a; . ./notes.env; NOTES_DATA=data; notes validate';
    return spawnSync('/bin/sh', ['-c', command], {
      cwd: place,
      env: environment,
      encoding: 'utf8',
    });
  };

  for (const [what, text] of [
    ['as it is', EXAMPLE],
    ['with every variable set', EVERY_VARIABLE],
  ] as const) {
    test(`is valid ${what}, and nothing is warned of`, () => {
      const { status, stdout, stderr } = validate(text);
      assert.deepEqual([status, stderr], [0, '']);
      assert.match(stdout, /^OK\npublic_url https:\/\/notes\.example\.com\n/);
    });
  }

  test('has a comment before each variable or group of them', () => {
    for (const group of EXAMPLE.trimEnd().split('\n\n').slice(1)) {
      const [first, ...rest] = group.split('\n');
      assert.match(first!, /^# \S/);
      assert.match(rest.join('\n'), /^#?NOTES_\w+=/m);
    }
  });
});
