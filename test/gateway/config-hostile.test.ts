/** Files that are no configuration: each gives a problem, none a crash, and no secret is repeated. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { readPath, readText } from './config-file.ts';

const directory = mkdtempSync(join(tmpdir(), 'hostile-config-'));
after(() => rmSync(directory, { recursive: true, force: true }));

const SERVER = 'server: {public_url: "https://a.example"}\n';

const texts: [what: string, text: string | Buffer, problem: RegExp][] = [
  [
    'an empty file',
    '',
    /cannot be read: it is empty; remove it and make one with: gateway init <path>$/,
  ],
  ['a file of white space', ' \n\r\n', /it is empty/],
  [
    'a file of comments',
    '# nothing\n',
    /the file holds no value; remove it and make one with: gateway init <path>$/,
  ],
  ['null', 'null', /the file holds no value/],
  ['plain text', 'hello', /^1: must be a map of keys and values, not text$/],
  ['a list', '- a', /^1: must be a map of keys and values, not a list$/],
  ['a number', '42', /^1: must be a map of keys and values, not a number$/],
  ['a program', Buffer.from('\x7fELF\x02\x01\x00\xff\xfe', 'latin1'), /it is not UTF-8 text$/],
  ['UTF-16', Buffer.from(`\ufeff${SERVER}`, 'utf16le'), /it is not UTF-8 text$/],
  ['control characters', '\0\x01\x02', /^1: /],
  ['5 MiB', Buffer.alloc(5 * 1024 * 1024, '#'), /it is larger than 4 MiB$/],
  ['100,000 open brackets', '['.repeat(100_000), /^1: not valid YAML: values nested too deeply$/],
  ['a tab', `${SERVER}users:\n\t- name: a`, /^3: not valid YAML: a tab used as indentation/],
  [
    'a key twice',
    `${SERVER}${SERVER}`,
    /^2: server: the key is defined twice in its map; keep one$/,
  ],
  ['a merge key', `${SERVER}<<: {users: []}`, /^2: …: merge keys are not read/],
  ['a function', 'server: !!js/function "x"', /^1: not valid YAML: a tag that is not known/],
  ['JSON cut short', '{"server": {"public_url": ', /^1: not valid YAML: /],
  [
    'users as a map',
    `${SERVER}users: {alice: {}}`,
    /^2: users: must be a list, not a map; begin each item with "- "$/,
  ],
];
for (const [what, text, problem] of texts) {
  test(`${what} is a problem`, () => {
    const { config, problems } = readText(text);
    assert.equal(config, undefined);
    assert.match(problems[0]!, problem);
  });
}

test('a missing file, a directory, a pipe and a loop of links are problems', () => {
  mkdirSync(join(directory, 'folder'));
  execFileSync('mkfifo', [join(directory, 'pipe')]);
  symlinkSync('loop', join(directory, 'loop'));
  const expected = {
    missing:
      /there is no such file; make one with: gateway init \S+, or set GATEWAY_CONFIG to where it is$/,
    folder: /it is a directory; name the file in it$/,
    pipe: /it is not a regular file$/,
    loop: /the system says ELOOP$/,
  };
  for (const [name, problem] of Object.entries(expected)) {
    assert.match(readPath(join(directory, name)).problems[0]!, problem);
  }
});

test('a file that the process may not read is a problem that says so', () => {
  const path = join(directory, 'forbidden.yaml');
  writeFileSync(path, SERVER);
  chmodSync(path, 0);
  chmodSync(directory, 0o755);
  const source = new URL('../../src/gateway/config/read-config.ts', import.meta.url).href;
  const script = `
    const { readConfig } = await import(${JSON.stringify(source)});
    if (process.getuid() === 0) process.setuid(65534);
    const { problems } = readConfig(${JSON.stringify(path)}, { env: {} });
    console.log(problems.errors[0].message);
  `;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
  });
  assert.match(stdout, /cannot be read: permission denied; make it readable to the user/, stderr);
});

test('aliases that expand to billions end in a problem', () => {
  const lists = Array.from({ length: 9 }, (_, i) => {
    const item = i === 0 ? '{name: x, password: y}' : `*a${i - 1}`;
    return `a${i}: &a${i} [${Array(9).fill(item).join(', ')}]`;
  });
  const { problems } = readText(`${SERVER}${lists.join('\n')}\nusers: *a8\n`);
  assert.ok(problems.length < 100);
});

test('anchors and aliases, a byte order mark and CRLF are read as they should be', () => {
  const text = `\ufeff${SERVER}users:
  - name: alice
    password: x
    targets: &shared
      - {id: t, description: d, base_url: "https://a.example", methods: &all [GET, POST]}
      - {id: u, description: d, base_url: "https://b.example", methods: *all}
  - {name: bob, password: x, targets: *shared}
`.replaceAll('\n', '\r\n');
  const { config, problems } = readText(text);
  assert.deepEqual(problems, []);
  assert.deepEqual(config?.users.get('bob')?.targets[1]?.methods, ['GET', 'POST']);
});

/** Values that must not be told, each in the place where it belongs. */
const GOOD = `server:
  public_url: https://gateway.example.com
  metrics: {listen: ":9", key: hidden-metrics-key-0}
users:
  - name: alice
    password: hidden-password
    secrets:
      token: hidden-token
      other: "hidden: \\"other\\""
    targets:
      - id: api
        description: an API
        base_url: https://api.example.com
        paths: [/v1/**]
        inject:
          headers: {Authorization: "Bearer hidden-literal \${token}"}
          query: {key: 'hidden-query'}
`;

test('whatever is mistyped, no problem repeats a value that must not be told', () => {
  assert.deepEqual(readText(GOOD).problems, []);
  const edit = fc.record({
    at: fc.nat(GOOD.length),
    remove: fc.nat(3),
    insert: fc.constantFrom(
      '',
      ' ',
      '\n',
      '\t',
      '"',
      "'",
      ':',
      ': ',
      '- ',
      '{',
      '}',
      '[',
      '*',
      '#',
      '&a ',
      '|',
    ),
  });
  fc.assert(
    fc.property(fc.array(edit, { minLength: 1, maxLength: 2 }), (edits) => {
      let text = GOOD;
      for (const { at, remove, insert } of edits) {
        text = text.slice(0, at) + insert + text.slice(at + remove);
      }
      const { problems, warnings } = readText(text);
      assert.doesNotMatch([...problems, ...warnings].join('\n'), /hidden/);
    }),
    {
      numRuns: 1_000,
      // A text that lost its line break and its colon: the password stood in the name.
      examples: [
        [
          [
            { at: 138, remove: 1, insert: '' },
            { at: 123, remove: 3, insert: '' },
          ],
        ],
      ],
    },
  );
});
