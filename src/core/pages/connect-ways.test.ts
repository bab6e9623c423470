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
    const [, claude] = snippets(url, 'Claude');
    const [code] = snippets(url, 'VS Code');
    const [bridge] = snippets(url, 'mcp-remote');
    const add = ['claude', 'mcp', 'add', '--transport', 'http', 'gateway', address];
    assert.deepEqual(words(claude!.text), add);
    const [program, option, config, ...rest] = words(code!.text);
    assert.deepEqual([program, option, rest], ['code', '--add-mcp', []]);
    assert.deepEqual(JSON.parse(config!), { name: 'gateway', type: 'http', url: address });
    assert.deepEqual(words(bridge!.text), ['npx', ...remote]);
  });

  test(`a client reads the files for ${url} as they are meant`, () => {
    const [connector, , desktop] = snippets(url, 'Claude');
    const [chatgpt] = snippets(url, 'ChatGPT');
    const [cursor, link] = snippets(url, 'Cursor');
    const [, code] = snippets(url, 'VS Code');
    const [other] = snippets(url, 'Any other client');
    const http = { type: 'http', url: address };
    assert.deepEqual([connector!.text, chatgpt!.text], [address, address]);
    assert.deepEqual(JSON.parse(desktop!.text), {
      mcpServers: { gateway: { command: 'npx', args: remote } },
    });
    assert.deepEqual(JSON.parse(cursor!.text), { mcpServers: { gateway: { url: address } } });
    assert.deepEqual(JSON.parse(code!.text), { servers: { gateway: http } });
    assert.deepEqual(JSON.parse(other!.text), { mcpServers: { gateway: http } });

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

test('who connects from the internet is told when that cannot work', () => {
  const text = (url: string) => JSON.stringify(connectWays('gateway', url));
  assert.match(text('http://127.0.0.1:2019'), /cannot reach this address/);
  assert.doesNotMatch(text('https://gateway.example.com'), /cannot reach this address/);
});
