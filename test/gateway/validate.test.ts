/** What `validate` never prints, and what it says about the exit. The texts themselves are in transcripts/. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { validate } from '../../src/gateway/commands/validate.ts';

const folder = new URL('./transcripts/', import.meta.url).pathname;
const directory = mkdtempSync(join(tmpdir(), 'validate-test-'));
after(() => rmSync(directory, { recursive: true, force: true }));

async function run(path: string, env: Record<string, string> = {}) {
  const lines: string[] = [];
  const print = (line: string) => {
    lines.push(line);
  };
  const code = await validate(path, env, { out: print, err: print });
  return { code, text: lines.join('\n') };
}

test('of a file full of mistakes, nothing is printed that must not be told', async () => {
  const { code, text } = await run(join(folder, 'bad.yaml'));
  assert.equal(code, 1);
  assert.doesNotMatch(text.replaceAll('HIDDEN_PASSWORD_UNSET', ''), /hidden/i);
});

test('the transcript of that file holds nothing that must not be told, and many problems', () => {
  const text = readFileSync(join(folder, 'validate-problems.txt'), 'utf8');
  assert.doesNotMatch(text, /hidden-/);
  assert.ok(text.split('\n').length > 60);
});

test('on success no value is printed, wherever it comes from and wherever else it is', async () => {
  const values = {
    literal: 'value-in-the-file',
    environment: 'value-in-the-environment',
    content: 'value-in-a-file-of-its-own',
    password: 'password-in-the-file',
    metrics: 'key-of-the-metrics',
    decoys: 'key-of-the-honeytokens',
  };
  const tokenPath = join(directory, 'token');
  writeFileSync(tokenPath, `${values.content}\n`);
  const inject = { headers: { 'X-A': `literal-in-a-template \${a}` }, query: { q: `\${b}` } };
  const targets = [
    { id: 'one', description: values.literal, base_url: 'https://a.example', inject },
    { id: values.content, description: 'd', base_url: `https://a.example/${values.literal}` },
  ];
  const config = {
    server: {
      public_url: 'https://gateway.example.com',
      metrics: { key: values.metrics },
      decoys: { key: values.decoys },
    },
    users: [
      {
        name: 'alice',
        password: values.password,
        secrets: { a: values.literal, b: 'env:B', c: `file:${tokenPath}` },
        targets,
      },
    ],
  };
  const path = join(directory, 'config.yaml');
  writeFileSync(path, JSON.stringify(config));
  const { code, text } = await run(path, { B: values.environment });
  assert.equal(code, 0);
  assert.match(text, /^OK /);
  assert.match(text, /^metrics on the public listener\ndecoys on$/m);
  assert.match(text, /^ {2}secrets a, b, c$/m);
  for (const value of [...Object.values(values), 'literal-in-a-template']) {
    assert.ok(!text.includes(value), value);
  }
});

test('a secret is not printed in any of its encodings either', async () => {
  const secret = 'p@ss/word?with&signs';
  const config = {
    server: { public_url: 'https://gateway.example.com' },
    users: [
      {
        name: 'alice',
        password: 'a long password',
        secrets: { a: secret },
        targets: [
          {
            id: 't',
            description: 'd',
            base_url: `https://a.example/${encodeURIComponent(secret)}`,
          },
        ],
      },
    ],
  };
  const path = join(directory, 'encoded.yaml');
  writeFileSync(path, JSON.stringify(config));
  const { text } = await run(path);
  assert.match(text, /^OK /);
  assert.ok(!text.includes(encodeURIComponent(secret)));
});
