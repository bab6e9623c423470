/** The operator's own decoys: what they answer, and that the built-in ones win. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createServer } from '../../src/core/http/server.ts';
import { createLog } from '../../src/core/log/log.ts';
import { run } from '../../src/decoys/commands/cli.ts';
import { readOwnDecoys } from '../../src/decoys/definitions/own-file.ts';
import { mountDecoys } from '../../src/decoys/mount.ts';
import { Honeytokens } from '../../src/decoys/tokens/honeytoken.ts';
import { ask, KEY, NOW_MS, startDecoys, type TestDecoys } from './support.ts';

const FILE = `
decoys:
  - tag: own-backup
    paths: [/backup/*.sql, /.aws/credentials]
    headers:
      Content-Type: application/sql
      X-Served-For: '{{client.id}}'
    file: true
    body: |
      -- {{persona.company}}, {{persona.domain}}
      -- {{token}} {{password}}
  - tag: own-form
    paths: [/own/form]
    methods: [POST]
    status: 403
    body: no
`;
const tokens = new Honeytokens({ key: KEY, site: 'decoys' });
let directory: string;
let file: string;
let decoys: TestDecoys;
before(async () => {
  directory = mkdtempSync(join(tmpdir(), 'own-decoys-'));
  file = join(directory, 'decoys.yaml');
  writeFileSync(file, FILE);
  const persona = { name: 'Alder & Sons', domain: 'alder.example' };
  decoys = await startDecoys({ definitions: readOwnDecoys(file).definitions, persona });
});
after(async () => {
  await decoys.close();
  rmSync(directory, { recursive: true, force: true });
});

test('an own decoy answers with honeytokens and the persona, and is logged', async () => {
  const { status, body, headers } = await decoys.ask('/backup/2026.sql');
  assert.equal(status, 200);
  assert.match(body, /^-- aldersons, alder\.example\n-- hp_live_[a-z2-7]{32} [a-z2-7]{32}\n$/);
  assert.equal(headers['content-type'], 'application/sql');
  assert.match(String(headers['x-served-for']), /^[0-9a-f]{16}$/);
  const [token = '', password = ''] = body.match(/(?:hp_live_)?[a-z2-7]{32}/g) ?? [];
  for (const [text, field] of [
    [token, 'token'],
    [password, 'password'],
  ] as const) {
    const opened = tokens.open(text, NOW_MS);
    assert.deepEqual(
      [opened?.address, opened?.place.tag, opened?.place.field],
      ['127.0.0.1', 'own-decoy', field],
    );
  }
  const line = decoys.lines().at(-1);
  assert.deepEqual([line?.tag, line?.honeytokens], ['own-backup', 2]);
});

test('a built-in decoy wins over an own one', async () => {
  assert.match((await decoys.ask('/.aws/credentials')).body, /^\[default\]/);
});

test('an own decoy answers its methods alone', async () => {
  assert.equal((await decoys.ask('/own/form')).status, 404);
  const reply = await decoys.ask('/own/form', { method: 'POST' });
  assert.deepEqual([reply.status, reply.body], [403, 'no']);
});

test('the gateway mounts them, too', async () => {
  const log = createLog({ level: 'error', write: () => {} });
  const app = createServer({ log });
  mountDecoys(app, { key: KEY, site: 'gateway', log, file, persona: { name: 'Alder' } });
  const port = Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port);
  assert.match((await ask(port, '/backup/1.sql')).body, /^-- alder, alder\.internal\n/);
  await app.close();
});

async function validate(args: readonly string[], env: Record<string, string> = {}) {
  let shown = '';
  const out = (line: string) => {
    shown += `${line}\n`;
  };
  const code = await run(['validate', ...args], env, {
    out,
    err: out,
    write: out,
    isTerminal: false,
  });
  return { code, shown };
}

test('validate shows what a file would answer', async () => {
  const { code, shown } = await validate([file]);
  assert.equal(code, 0, shown);
  assert.match(shown, /^decoy own-backup: GET \/backup\/\*\.sql \/\.aws\/credentials$/m);
});

test('validate shows every problem of the file and of the environment', async () => {
  const broken = join(directory, 'broken.yaml');
  writeFileSync(broken, 'decoys:\n  - paths: [x]\n');
  const { code, shown } = await validate([], {
    DECOYS_FILE: broken,
    DECOYS_PERSONA: '{name: "<b>", domain: nodots}',
  });
  assert.equal(code, 1);
  assert.match(shown, /DECOYS_PERSONA: name: "<b>" is not a company name/);
  assert.match(shown, /broken\.yaml:2: decoys\[0\]: tag is missing/);
  assert.match(shown, /broken\.yaml:2: decoys\[0\]\.paths\[0\]: "x" is not a path/);
  assert.equal((await validate([join(directory, 'none.yaml')])).code, 1);
});
