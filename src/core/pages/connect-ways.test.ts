/** The texts to copy are put to those who read them: a shell, a JSON parser, a URL parser. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { connectWays, type Snippet } from './connect-ways.ts';

const URLS = [
  'https://gateway.example.com',
  'http://127.0.0.1:2019',
  'http://[::1]:2019',
  'http://10.0.0.7:2019',
  // All of these are hosts that a URL parser accepts.
  'https://$(id)$HOME.example',
  "https://a'b`id`.example",
  'https://a;b&c*d!e~f{g,h}.example',
];

function snippets(url: string, client: string): Snippet[] {
  const way = connectWays('gateway', url).find((one) => one.client === client);
  assert.ok(way, client);
  return way.steps.filter((step) => typeof step !== 'string');
}

/** The words that a shell makes of a command, the first being the program. */
function words(command: string): string[] {
  const program = /^\w+/.exec(command)![0];
  const script = `${program}() { printf '%s\\n' "${program}" "$@"; }\n${command}`;
  return execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8' }).trimEnd().split('\n');
}

for (const url of URLS) {
  const address = `${url}/mcp`;
  const isPlain = url === 'http://[::1]:2019' || url === 'http://10.0.0.7:2019';
  const remote = ['-y', 'mcp-remote', address, ...(isPlain ? ['--allow-http'] : [])];

  test(`${url} is a host, so the texts must bear it`, () => {
    assert.ok(URL.canParse(url));
  });

  test(`a shell reads the commands for ${url} as they are meant`, () => {
    const claude = snippets(url, 'Claude').find(({ caption }) => caption === 'Terminal');
    const [code] = snippets(url, 'VS Code');
    const [bridge] = snippets(url, 'mcp-remote');
    const add = ['claude', 'mcp', 'add', '--transport', 'http', 'gateway', address];
    assert.deepEqual(words(claude!.text), add);
    const [program, option, config, ...rest] = words(code!.text);
    assert.deepEqual([program, option, rest], ['code', '--add-mcp', []]);
    assert.deepEqual(JSON.parse(config!), { name: 'gateway', type: 'http', url: address });
    assert.deepEqual(words(bridge!.text), ['npx', ...remote]);
    const [codex, toml] = snippets(url, 'Codex');
    const [addCodex, signIn] = codex!.text.split('\n');
    assert.deepEqual(words(addCodex!), ['codex', 'mcp', 'add', 'gateway', '--url', address]);
    assert.deepEqual(words(signIn!), ['codex', 'mcp', 'login', 'gateway']);
    const [table, value] = toml!.text.split('\nurl = ');
    assert.deepEqual([table, JSON.parse(value!)], ['[mcp_servers.gateway]', address]);
    const [gemini] = snippets(url, 'Gemini CLI');
    const options = ['--scope', 'user', '--transport', 'http'];
    assert.deepEqual(words(gemini!.text), ['gemini', 'mcp', 'add', ...options, 'gateway', address]);
  });

  test(`a client reads the files for ${url} as they are meant`, () => {
    const desktop = snippets(url, 'Claude').at(-1);
    const [cursor, link] = snippets(url, 'Cursor');
    const [, code] = snippets(url, 'VS Code');
    const [other] = snippets(url, 'Any other client');
    const http = { type: 'http', url: address };
    assert.deepEqual(JSON.parse(desktop!.text), {
      mcpServers: { gateway: { command: 'npx', args: remote } },
    });
    assert.deepEqual(JSON.parse(cursor!.text), { mcpServers: { gateway: { url: address } } });
    assert.deepEqual(JSON.parse(code!.text), { servers: { gateway: http } });
    assert.deepEqual(JSON.parse(other!.text), { mcpServers: { gateway: http } });
    const [windsurf] = snippets(url, 'Windsurf');
    const [, gemini] = snippets(url, 'Gemini CLI');
    const [openWebUi] = snippets(url, 'Open WebUI');
    assert.deepEqual(JSON.parse(windsurf!.text), {
      mcpServers: { gateway: { serverUrl: address } },
    });
    assert.deepEqual(JSON.parse(gemini!.text), { mcpServers: { gateway: { httpUrl: address } } });
    assert.equal(openWebUi!.text, address);

    const { protocol, host, pathname, searchParams } = new URL(link!.text);
    assert.equal(
      `${protocol}//${host}${pathname}`,
      'cursor://anysphere.cursor-deeplink/mcp/install',
    );
    assert.equal(searchParams.get('name'), 'gateway');
    const config = Buffer.from(searchParams.get('config')!, 'base64').toString();
    assert.deepEqual(JSON.parse(config), { url: address });
  });
}

const PUBLIC = URLS.filter((url) => url.startsWith('https:'));
const LOCAL = [...URLS.filter((url) => !PUBLIC.includes(url)), 'https://localhost:2019'];

for (const url of PUBLIC) {
  test(`who connects from the internet to ${url} is given its address, before all others`, () => {
    const clients = connectWays('gateway', url).map(({ client }) => client);
    assert.deepEqual(clients.slice(0, 2), ['Claude', 'ChatGPT']);
    for (const client of ['Claude', 'ChatGPT']) {
      assert.equal(snippets(url, client)[0]!.text, `${url}/mcp`);
    }
    assert.doesNotMatch(JSON.stringify(connectWays('gateway', url)), /cannot reach/);
  });
}

for (const url of LOCAL) {
  test(`who would connect from the internet to ${url} is told that it cannot, after all others`, () => {
    const ways = connectWays('gateway', url);
    assert.deepEqual(ways.at(-1), {
      client: 'ChatGPT',
      kinds: 'web',
      steps: [
        'ChatGPT connects from the internet and only to https, so it cannot reach this address.',
      ],
    });
    const [claude] = ways;
    assert.match(String(claude!.steps.at(-1)), /On the web, Claude .* cannot reach this address/);
  });
}
