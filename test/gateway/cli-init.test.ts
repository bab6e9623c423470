/** `gateway init`: from flags and from a person at a terminal to a configuration that runs. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import type { Environment } from '../../src/core/config/environment.ts';
import { memoize } from '../../src/core/memoize.ts';
import { bcryptPassword, verifyPassword } from '../../src/core/secrets/password.ts';
import { init } from '../../src/gateway/commands/init.ts';
import type { InitFlags } from '../../src/gateway/commands/init-config.ts';
import {
  PRESETS,
  type Preset,
  presetOf,
  standardReference,
} from '../../src/gateway/commands/init-presets.ts';
import { captured, runHere } from '../support/gateway/command-here.ts';
import { callTool, ENTRY, runGateway, signIn, startGateway } from '../support/gateway/gateway.ts';
import { atTerminal, withoutSequences } from '../support/gateway/terminal.ts';
import { PASSWORD_HASH } from '../support/oauth/password.ts';
import type { Ended } from '../support/programs/program.ts';
import { isLongRun, sampleOf } from '../support/property-runs.ts';

const PASSWORD = 'correct horse';
const directory = mkdtempSync(join(tmpdir(), 'init-'));
after(() => rmSync(directory, { recursive: true, force: true }));

let made = 0;
const freshPath = () => join(directory, `config-${++made}.yaml`);
const FLAGS = ['--public-url', 'https://gateway.example.com', '--user', 'alice'];
const passwordFile = join(directory, 'password');
writeFileSync(passwordFile, `${PASSWORD}\n`);
const FROM_FILE = ['--password-file', passwordFile];

/** From flags, for rows that do not show the hash: computing one takes a third of a second. */
function initHere(path: string, flags: Partial<InitFlags>, env: Environment = {}): Promise<Ended> {
  const all: InitFlags = {
    ...{ 'public-url': 'https://gateway.example.com', user: 'alice' },
    ...{ 'password-file': passwordFile, target: undefined, 'base-url': undefined },
    ...{ secret: undefined, ...flags },
  };
  return captured((output) => init(path, all, env, output, async () => PASSWORD_HASH));
}

const PEM = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
  ...{ type: 'pkcs1', format: 'pem' },
}) as string;

/** Every variable that the file of a preset refers to. */
function environmentOf(preset: Preset): Record<string, string> {
  const references = [standardReference(preset), ...Object.values(preset.others ?? {})];
  const value = /key: \$/.test(preset.minted?.join('\n') ?? '')
    ? PEM
    : 'a-credential-to-check-with';
  return Object.fromEntries(references.map((reference) => [reference.slice('env:'.length), value]));
}

async function holdsPassword(path: string, password = PASSWORD): Promise<boolean> {
  const text = readFileSync(path, 'utf8');
  assert.ok(!text.includes(password));
  const hash = /bcrypt:(\$2b\$12\$.{53})"/.exec(text)?.[1] ?? '';
  return verifyPassword(bcryptPassword(hash), password);
}

describe('from flags', () => {
  test('it writes a file for its owner alone and says what to do next', async () => {
    const path = freshPath();
    const { code, stdout, stderr } = await runGateway(
      ['init', path, ...FLAGS, '--target', 'github'],
      { input: `${PASSWORD}\n` },
    );
    assert.deepEqual([code, stderr], [0, '']);
    assert.equal(
      stdout,
      `wrote ${path}, readable by its owner alone

Next:
  1. set GITHUB_TOKEN to a fine-grained token, from https://github.com/settings/personal-access-tokens
  2. check it:  gateway validate ${path}
  3. try it:    gateway try https://api.github.com/user --config ${path}
  4. run it:    GATEWAY_CONFIG=${path} gateway
  5. give https://gateway.example.com/mcp to your model's client, and sign in as alice
`,
    );
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.ok(await holdsPassword(path));
  });

  for (const [publicUrl, listen] of sampleOf(
    [
      ['http://127.0.0.1:3019', '127.0.0.1:3019'],
      ['http://localhost', '127.0.0.1:80'],
      ['http://[::1]:3019', '[::1]:3019'],
      ['https://localhost:8443', '127.0.0.1:2019'],
      ['https://gateway.example.com', ':2019'],
    ] as const,
    2,
  )) {
    test(`with ${publicUrl} it listens on ${listen}`, async () => {
      const path = freshPath();
      const { stdout } = await initHere(path, { 'public-url': publicUrl, target: 'none' });
      assert.ok(stdout.includes('run it:    GATEWAY_CONFIG='), stdout);
      const validated = await runHere(['validate', path]);
      assert.ok(validated.stdout.includes(`\nlisten ${listen}\n`), validated.stdout);
    });
  }

  test('whatever the umask permits, only the owner may read it', () => {
    const path = freshPath();
    const words = `'${process.execPath}' '${ENTRY}' init ${path} ${FLAGS.join(' ')} --target none`;
    const shell = spawnSync('sh', ['-c', `umask 000; echo '${PASSWORD}' | ${words}`]);
    assert.equal(shell.status, 0);
    assert.equal(statSync(path).mode & 0o777, 0o600);
  });

  /** The configuration of a preset is made once. */
  const madeOf = memoize(async (name: string) => {
    const path = freshPath();
    const env = environmentOf(presetOf(name)!);
    const made = await initHere(path, { target: name }, env);
    return { path, env, ...made };
  });

  for (const name of sampleOf(Object.keys(PRESETS), 3)) {
    test(`the preset ${name} is valid, and its sample would find its target`, async () => {
      const { path, env, code, stdout } = await madeOf(name);
      assert.equal(code, 0);
      assert.doesNotMatch(stdout, /1\. set /);
      const validated = await runHere(['validate', path], env);
      assert.deepEqual([validated.code, validated.stderr], [0, '']);
      assert.match(validated.stdout, new RegExp(`target ${name}: GET`));
      const [, sample] = /gateway try (\S+)/.exec(stdout) ?? [];
      const tried = await runHere(['try', sample!, '--config', path], env);
      assert.match(tried.stdout, new RegExp(`3 {2}target {6}ok {7}${name}\n`));
      assert.doesNotMatch(tried.stdout, /method_not_allowed|blocked_network|a-credential/);
    });
  }

  for (const [name, method, path, code] of [
    ['github', 'GET', '/notifications', 'no_target'],
    ['gitlab', 'GET', '/projects/42/variables', 'no_target'],
    ['gitlab', 'GET', '/projects/42/triggers', 'no_target'],
    ['gitlab', 'GET', '/projects/42/merge_requests/7', undefined],
    ['notion', 'POST', '/data_sources/d1/query', undefined],
    ['notion', 'POST', '/pages', 'no_target'],
  ] as const) {
    test(`the preset ${name} ${code ? 'refuses' : 'sends'} ${method} ${path}`, async () => {
      const { path: file, env } = await madeOf(name);
      const words = ['try', PRESETS[name].baseUrl + path, '--method', method, '--config', file];
      const { stdout } = await runHere(words, env);
      if (code) assert.match(stdout, new RegExp(`refused: ${code} `));
      else assert.doesNotMatch(stdout, /no_target|method_not_allowed/);
    });
  }

  test('the preset of Notion asks for the version that its recipe documents', () => {
    const recipe = readFileSync(new URL('../../docs/recipes/notion.md', import.meta.url), 'utf8');
    const version = /Notion-Version: "(.+)"/.exec(recipe)?.[1];
    assert.equal(PRESETS.notion.headers['Notion-Version'], version);
  });

  for (const [target, given, expected] of [
    ['home-assistant', 'https://ha.example.com:8123', 'https://ha.example.com:8123/api'],
    ['gitlab', 'https://git.example.com/', 'https://git.example.com/api/v4'],
    ['openai', 'https://llm.example.com', 'https://llm.example.com/v1'],
    ['slack', 'https://slack.com', 'https://slack.com/api'],
    ['github', 'https://ghe.example.com', 'https://ghe.example.com/api/v3'],
    ['github', 'https://api.octo.ghe.com', undefined],
    ['github', 'https://api.github.com/', undefined],
    ['gitlab', 'https://example.com/git/api/v4', undefined],
    ['other', 'https://api.example.com', undefined],
  ] as const) {
    test(`${target} at ${given} ${expected === undefined ? 'stays' : 'is given the path of its API'}`, async () => {
      const path = freshPath();
      const { code, stderr } = await initHere(path, { target, 'base-url': given });
      assert.equal(code, 0);
      assert.ok(readFileSync(path, 'utf8').includes(`base_url: "${expected ?? given}"\n`));
      if (expected === undefined) assert.equal(stderr, '');
      else assert.ok(stderr.startsWith(`note: the base URL is now "${expected}", where`), stderr);
      const env = environmentOf(PRESETS[target]);
      assert.equal((await runHere(['validate', path], env)).code, 0);
    });
  }

  test('another path than that of the API is kept and pointed out', async () => {
    const path = freshPath();
    const flags = { target: 'gitlab', 'base-url': 'https://example.com/gitlab' };
    const { code, stderr } = await initHere(path, flags);
    assert.equal(code, 0);
    assert.match(
      stderr,
      /^note: the API of GitLab usually begins at \/api\/v4; check the base URL/,
    );
    assert.match(readFileSync(path, 'utf8'), /base_url: "https:\/\/example\.com\/gitlab"/);
  });

  test('a short password and an unencrypted public URL are warned of', async () => {
    const short = join(directory, 'short');
    writeFileSync(short, 'x\n');
    const flags = { 'public-url': 'http://gateway.example.com', target: 'none' };
    const { code, stderr } = await initHere(freshPath(), { ...flags, 'password-file': short });
    rmSync(short);
    assert.equal(code, 0);
    assert.match(stderr, /^warning: "http:\/\/gateway\.example\.com" is not encrypted: /);
    assert.match(stderr, /\nwarning: the password has fewer than 8 characters/);
  });

  test('without a target the file is valid, too', async () => {
    const path = freshPath();
    const args = ['init', path, ...FLAGS, '--target', 'none'];
    assert.equal((await runGateway(args, { input: PASSWORD })).code, 0);
    assert.equal((await runGateway(['validate', path])).code, 0);
  });

  test('the password may come from a file, and the credential may be in one', async () => {
    const path = freshPath();
    const token = join(directory, 'token');
    const flags = ['--target', 'stripe', '--secret', `file:${token}`];
    const args = ['init', path, ...FLAGS, ...flags, ...FROM_FILE];
    const { code, stdout } = await runGateway(args);
    assert.equal(code, 0);
    assert.match(stdout, new RegExp(`1\\. put into ${token} a restricted key`));
    assert.ok(await holdsPassword(path));
    writeFileSync(token, 'a-credential-in-a-file\n');
    assert.equal((await runHere(['validate', path])).code, 0);
    const again = await initHere(freshPath(), { target: 'stripe', secret: `file:${token}` });
    assert.match(again.stdout, /1\. check it/);
  });

  for (const [baseUrl, address] of [
    ['http://192.168.1.20:8123/api', '192.168.1.20/32'],
    ['http://[fd00::7]:8123/', 'fd00::7/128'],
    ['http://localhost:8123/api', '127.0.0.1/32'],
  ] as const) {
    test(`the private address of ${baseUrl} is opened, and no other`, async () => {
      const path = freshPath();
      const flags = { target: 'home-assistant', 'base-url': baseUrl };
      assert.equal((await initHere(path, flags)).code, 0);
      const env = { HOME_ASSISTANT_TOKEN: 'a-credential' };
      const { code, stdout } = await runHere(['validate', path], env);
      assert.equal(code, 0);
      assert.match(stdout, new RegExp(`^allow_networks ${RegExp.escape(address)}$`, 'm'));
    });
  }

  test('the gateway runs with it, and its user signs in', async () => {
    const path = freshPath();
    const args = ['init', path, ...FLAGS, '--target', 'notion'];
    assert.equal((await runGateway(args, { input: PASSWORD })).code, 0);
    const env = { NOTION_TOKEN: 'a-credential-of-notion' };
    const gateway = await startGateway({ config: readFileSync(path, 'utf8'), env });
    try {
      const { accessToken } = await signIn(gateway.url, 'alice', PASSWORD);
      const { value } = await callTool(gateway.url, accessToken, 'list_targets');
      assert.equal((value.targets as { id: string }[])[0]?.id, 'notion');
    } finally {
      await gateway.stop();
    }
  });

  const HIDDEN = 'ghp_hidden-credential';
  const refused: [what: string, flags: string[], code: number, message: RegExp][] = [
    ['nothing said', [], 2, /^without a terminal, --public-url, --user and --target are needed/],
    ['no target', FLAGS, 2, /--target are needed/],
    ['an unknown target', [...FLAGS, '--target', 'gihub'], 2, /^--target is not one of github,/],
    [
      'a URL with a path',
      ['--public-url', 'https://x/y', '--user=a', '--target=none'],
      2,
      /^--public-url: "https:\/\/x\/y" is not an absolute/,
    ],
    [
      'a strange name',
      ['--public-url=http://x', '--user', 'a b', '--target=none'],
      2,
      /^--user: "a b" is not a name/,
    ],
    [
      'a strange base URL',
      [...FLAGS, '--target=other', '--base-url', 'ftp://x'],
      2,
      /^--base-url: .*must begin with http/,
    ],
    [
      'a metadata address',
      [...FLAGS, '--target=other', '--base-url', 'http://169.254.169.254/'],
      2,
      /^--base-url: .*never allowed/,
    ],
    [
      'a secret itself',
      [...FLAGS, '--target=github', '--secret', HIDDEN],
      2,
      /^--secret says where the secret is: env:NAME or file:\/path\n$/,
    ],
    [
      'a secret in the place of a name',
      [...FLAGS, '--target=github', '--secret', `env:${HIDDEN}`],
      2,
      /^--secret says where/,
    ],
    [
      'a secret for no target',
      [...FLAGS, '--target=none', '--secret', 'env:A'],
      2,
      /^without a target there is no --secret/,
    ],
    [
      'a secret below ~',
      [...FLAGS, '--target=github', '--secret', 'file:~/token'],
      2,
      /^--secret: "~\/token" would not be found; ~ is not expanded here, write the full path\n$/,
    ],
    [
      'a password file below ~',
      [...FLAGS, '--target=none', '--password-file', '~/password'],
      1,
      /there is no such file; ~ is not expanded here/,
    ],
    [
      'a password as a flag',
      [...FLAGS, '--target=none', `--password=${HIDDEN}`],
      2,
      /^unknown flag "--password" after init/,
    ],
    [
      'a missing password file',
      [...FLAGS, '--target=none', '--password-file', '/nonexistent'],
      1,
      /"\/nonexistent" cannot be read: there is no such file/,
    ],
    [
      'an empty password',
      [...FLAGS, '--target=none', '--password-file', '/dev/null'],
      1,
      /^the password is empty/,
    ],
  ];
  for (const [what, flags, code, message] of refused) {
    test(`${what}: nothing is made, and it says why`, async () => {
      const path = freshPath();
      const password = flags.includes('--password-file') ? [] : FROM_FILE;
      const finished = await runHere(['init', path, ...flags, ...password]);
      assert.deepEqual([finished.code, finished.stdout], [code, '']);
      assert.match(finished.stderr, message);
      assert.doesNotMatch(finished.stderr, /hidden/);
      assert.ok(!existsSync(path));
    });
  }

  test('an existing file and a link to nowhere stay as they are', async () => {
    const path = freshPath();
    writeFileSync(path, 'mine');
    const link = freshPath();
    const elsewhere = join(directory, 'elsewhere.yaml');
    symlinkSync(elsewhere, link);
    for (const taken of [path, link]) {
      const args = ['init', taken, ...FLAGS, '--target', 'none', ...FROM_FILE];
      const { code, stderr } = await runHere(args);
      assert.equal(code, 1);
      assert.match(stderr, /exists already; name another file, or remove it first\n$/);
    }
    assert.equal(readFileSync(path, 'utf8'), 'mine');
    assert.ok(!existsSync(elsewhere));
  });

  test('a missing folder is named; without a path the file is where GATEWAY_CONFIG says', async () => {
    const args = [...FLAGS, '--target', 'none', ...FROM_FILE];
    const missing = join(directory, 'missing/config.yaml');
    const env = { GATEWAY_CONFIG: missing };
    const { code, stderr } = await runHere(['init', ...args], env);
    assert.equal(code, 1);
    assert.match(stderr, /missing\/config\.yaml" cannot be written: its folder does not exist/);
  });
});

describe('at a terminal', () => {
  const URL_ASKED = 'URL that clients will reach the gateway on [http://localhost:2019]: ';
  const USER_ASKED = 'Name of the first user: ';
  const TARGET_ASKED = 'Number or name [1]: ';
  const BASE_ASKED = 'Its base URL [https://gitlab.com/api/v4]: ';
  const SECRET_ASKED = (name: string) =>
    `Where its credential will be, env:NAME or file:/path [env:${name}]: `;

  test('it asks, takes defaults, asks again for what would not do, and hides the password', async () => {
    const path = freshPath();
    const { code, screen } = await atTerminal(
      ['init', path],
      [
        [URL_ASKED, 'gateway.example.com\r'],
        [URL_ASKED, 'https://gateway.example.com\r'],
        [USER_ASKED, '\r'],
        [USER_ASKED, 'alice\r'],
        ['Password: ', `${PASSWORD}\r`],
        ['Again: ', 'another\r'],
        ['Password: ', `${PASSWORD}\r`],
        ['Again: ', `${PASSWORD}\r`],
        [TARGET_ASKED, 'gtlab\r'],
        [TARGET_ASKED, '2\r'],
        [BASE_ASKED, 'https://git.example.com/api/v4\r'],
        [SECRET_ASKED('GITLAB_TOKEN'), 'glpat-0123456789\r'],
        [SECRET_ASKED('GITLAB_TOKEN'), '\r'],
      ],
    );
    const shown = withoutSequences(screen);
    assert.equal(code, 0, shown);
    assert.match(shown, /"gateway\.example\.com" is not an absolute http or https URL/);
    assert.match(shown, /the two passwords differ; type them again/);
    assert.match(shown, /"gtlab" is none of them \(did you mean "gitlab"\?\)/);
    assert.match(shown, /write env:NAME or file:\/path, not the secret itself/);
    assert.match(shown, /1 {2}github {18}GitHub\n {3}2 {2}gitlab/);
    assert.match(shown, /Next:\n {2}1\. set GITLAB_TOKEN to a token with read_api/);
    assert.ok(!shown.includes(PASSWORD) && !shown.includes('another\n'));
    assert.ok(await holdsPassword(path));
    const env = { GITLAB_TOKEN: 'a-credential' };
    const { stdout } = await runHere(['validate', path], env);
    assert.match(stdout, /target gitlab: GET https:\/\/git\.example\.com\/api\/v4 \/api\/v4\/user/);
  });

  test('where the file exists already, nothing is asked', async () => {
    const path = freshPath();
    writeFileSync(path, 'mine');
    const { code, screen } = await atTerminal(['init', path]);
    assert.equal(code, 1);
    assert.match(screen, /^"[^"]+" exists already; name another file, or remove it first\n$/);
    assert.equal(readFileSync(path, 'utf8'), 'mine');
  });

  test('flags are not asked for', async () => {
    const path = freshPath();
    const { code, screen } = await atTerminal(
      ['init', path, ...FLAGS, '--target', 'none'],
      [
        ['Password: ', `${PASSWORD}\r`],
        ['Again: ', `${PASSWORD}\r`],
      ],
    );
    assert.equal(code, 0, screen);
    assert.doesNotMatch(screen, /\[1\]|first user/);
    assert.ok(await holdsPassword(path));
  });

  test('of all answers pasted at once, the password is not shown', async () => {
    const path = freshPath();
    const lines = ['', 'alice', PASSWORD, PASSWORD, 'none', ''];
    const { code, screen } = await atTerminal(['init', path], [[URL_ASKED, lines.join('\r')]]);
    assert.equal(code, 0, screen);
    assert.ok(!withoutSequences(screen).includes(PASSWORD), screen);
    assert.match(withoutSequences(screen), /Name of the first user: alice\n/);
    assert.ok(await holdsPassword(path));
  });

  const steps = [
    [URL_ASKED, '\r'],
    [USER_ASKED, 'alice\r'],
    ['Password: ', `${PASSWORD}\r`],
    ['Again: ', `${PASSWORD}\r`],
    [TARGET_ASKED, 'github\r'],
    [SECRET_ASKED('GITHUB_TOKEN'), '\r'],
  ] as const;
  for (const [index, [prompt]] of sampleOf([...steps.entries()], 3)) {
    const keys = [
      ['\x03', 'Ctrl-C'],
      ['\x04', 'Ctrl-D'],
    ] as const;
    // In turns: each of them at a text and at a password.
    for (const [key, name] of isLongRun ? keys : [keys[index % 2]!]) {
      test(`${name} at question ${index + 1} makes nothing`, async () => {
        const path = freshPath();
        const typed = [...steps.slice(0, index), [prompt, key] as const];
        const { code, screen } = await atTerminal(['init', path], typed);
        assert.equal(code, 1, screen);
        assert.match(screen, /cancelled; nothing was made\n$/);
        assert.ok(!existsSync(path));
      });
    }
  }
});

test('nothing but what was asked for was made', () => {
  const names = readdirSync(directory).filter((name) => !/^config-\d+\.yaml$/.test(name));
  assert.deepEqual(names.toSorted(), ['password', 'token']);
});
