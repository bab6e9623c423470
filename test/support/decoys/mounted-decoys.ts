/** What holds for the decoys within any program: before its 404, behind everything real. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { CORPUS } from '../../../src/decoys/catalogue.ts';
import { selftest } from '../../../src/decoys/commands/selftest.ts';
import { type LogLine, linesOf, type ProgramProcess } from '../programs/program.ts';

export const KEY = 'a-honeytoken-master-key';

export interface MountedDecoys {
  /** The program without a key. */
  readonly plain: ProgramProcess & { readonly url: string };
  /** The same with `KEY`. */
  readonly trapped: ProgramProcess & { readonly url: string };
  /** Where the metrics of the trapped one are, on a separate listener. */
  readonly metricsUrl: string;
  /** Calls a tool of the trapped one with this text in its arguments. */
  callWith(text: string): Promise<unknown>;
}

/** Takes a honeytoken as a thief would. */
export async function takeToken(url: string): Promise<string> {
  const file = (await (await fetch(`${url}/.claude/.credentials.json`)).json()) as {
    claudeAiOauth: { accessToken: string };
  };
  return file.claudeAiOauth.accessToken;
}

async function selftestOf(url: string) {
  const lines: string[] = [];
  const out = (line: string) => lines.push(line);
  return { code: await selftest(url, {}, { out, err: out }), lines };
}

/** `missing` are paths that neither the program nor a decoy knows. */
export function testMountedDecoys(mounted: () => MountedDecoys, missing: readonly string[]): void {
  test('without a key there are no decoys', async () => {
    assert.equal((await fetch(`${mounted().plain.url}/.aws/credentials`)).status, 404);
  });

  test('a path that scanners probe is answered, and the match is logged', async () => {
    const { trapped } = mounted();
    const answer = await fetch(`${trapped.url}/.aws/credentials`);
    assert.equal(answer.status, 200);
    assert.match(await answer.text(), /aws_access_key_id = AKIA/);
    const hit = await trapped.line((line) => line.event === 'decoy_hit');
    assert.equal(hit['source.ip'], '127.0.0.1');
  });

  for (const [who, accept, type] of [
    ['a program', '*/*', /^application\/json/],
    ['a browser', 'text/html,application/xhtml+xml,*/*;q=0.8', /^text\/html/],
  ] as const) {
    test(`what no decoy knows is the same 404 for ${who}, byte for byte`, async () => {
      const { plain, trapped } = mounted();
      // A browser is shown the start page at the root.
      const paths = missing.filter((path) => path !== '/' || who === 'a program');
      for (const path of paths) {
        const [one, other] = await Promise.all(
          [plain, trapped].map(async ({ url }) => {
            const answer = await fetch(url + path, { headers: { accept } });
            const headers = [...answer.headers].filter(([name]) => name !== 'date');
            return { status: answer.status, headers, body: await answer.text() };
          }),
        );
        assert.equal(one?.status, 404, path);
        assert.match(new Headers(one.headers).get('content-type')!, type, path);
        assert.deepEqual(other, one, path);
      }
    });
  }

  test('the real MCP endpoint is never a decoy', async () => {
    for (const path of ['/mcp', '/mcp/']) {
      const answer = await fetch(mounted().trapped.url + path, { method: 'POST', body: '{}' });
      assert.equal(answer.status, 401, path);
    }
  });

  test('the test of the decoys passes, and tells which paths are the program itself', async () => {
    const { code, lines } = await selftestOf(mounted().trapped.url);
    assert.equal(code, 0, lines.join('\n'));
    const real = lines.filter((line) => line.startsWith('real '));
    assert.deepEqual(
      real.map((line) => line.replace(/ +/g, ' ')),
      ['real mcp-server-probe POST /mcp', 'real mcp-server-probe POST /mcp/'],
    );
    const decoys = CORPUS.length - real.length;
    assert.equal(
      lines.at(-1),
      `${decoys} of ${decoys} decoys answered as they should; the server itself answers 2 of these paths`,
    );
  });

  test('the test of the decoys fails where there are none', async () => {
    const { code, lines } = await selftestOf(mounted().plain.url);
    assert.equal(code, 1);
    assert.match(lines.at(-1)!, new RegExp(`^0 of ${CORPUS.length - 2} decoys`));
  });

  test('who sends thousands of requests in one packet does not keep others waiting', async () => {
    const { trapped } = mounted();
    const { hostname, port } = new URL(trapped.url);
    const greedy = connect(Number(port), hostname).setEncoding('latin1');
    await once(greedy, 'connect');
    const keys = Array.from({ length: 16 }, () => `AKIA${'ABCD2345'.repeat(2)}`).join(' ');
    const requests = 2_000;
    greedy.write(`GET /nothing HTTP/1.1\r\nHost: x\r\nX-Keys: ${keys}\r\n\r\n`.repeat(requests));
    let received = '';
    const answers = () => received.split('HTTP/1.1 404').length - 1;
    const all = new Promise<void>((resolve) => {
      greedy.once('close', resolve).on('data', (text: string) => {
        received += text;
        if (answers() === requests) resolve();
      });
    });
    await once(greedy, 'data');
    assert.equal((await fetch(`${trapped.url}/healthz`)).status, 200);
    assert.ok(answers() < requests, 'the greedy client was answered whole before anyone else');
    await all;
    assert.equal(answers(), requests);
    greedy.destroy();
  });

  test('the tag of a file is that of its bytes: one client is not told 304 for the file of another', async () => {
    const { trapped } = mounted();
    const ask = async (localAddress: string, headers = {}) => {
      const asked = get(`${trapped.url}/.aws/credentials`, { localAddress, headers, agent: false });
      const [answer] = (await once(asked, 'response')) as [IncomingMessage];
      answer.resume();
      return answer;
    };
    const { headers } = await ask('127.0.0.2');
    const known = { 'if-none-match': headers.etag! };
    assert.equal((await ask('127.0.0.2', known)).statusCode, 304);
    assert.equal((await ask('127.0.0.3', known)).statusCode, 200);
  });

  describe('a honeytoken shown to the program names who took it', () => {
    let token: string;
    before(async () => {
      token = await takeToken(mounted().trapped.url);
    });

    test('as a bearer token, and the answer is that of any wrong token', async () => {
      const { trapped } = mounted();
      const post = (bearer: string) =>
        fetch(`${trapped.url}/mcp`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization: `Bearer ${bearer}` },
          body: '{}',
        });
      const [stolen, wrong] = [await post(token), await post('x'.repeat(token.length))];
      assert.equal(stolen.status, 401);
      assert.equal(await stolen.text(), await wrong.text());
      assert.equal(stolen.headers.get('www-authenticate'), wrong.headers.get('www-authenticate'));
      await assertNamed(trapped);
    });

    for (const path of ['/metrics', '/nothing', '/%zz']) {
      test(`at ${path} of the listener of the metrics, whose answer does not change`, async () => {
        const { trapped, metricsUrl } = mounted();
        const before = usesOf(trapped).length;
        const show = (bearer: string) =>
          fetch(metricsUrl + path, { headers: { authorization: `Bearer ${bearer}` } });
        const [stolen, wrong] = [await show(token), await show('x'.repeat(token.length))];
        assert.deepEqual([stolen.status, await stolen.text()], [wrong.status, await wrong.text()]);
        await linesOf(trapped, ['honeytoken_used'], before + 1);
        const [line] = usesOf(trapped).slice(before);
        assert.equal(line?.['honeytoken.presented_in'], 'header authorization');
        assert.equal(line?.['honeytoken.received_by'], '127.0.0.1');
      });
    }

    test('in the arguments of a tool call', async () => {
      const { trapped, callWith } = mounted();
      const before = usesOf(trapped).length;
      await callWith(token);
      await linesOf(trapped, ['honeytoken_used'], before + 1);
    });

    test('in a request that is refused before it is routed', async () => {
      const { trapped } = mounted();
      const host = new URL(trapped.url).host;
      for (const head of [
        'GET /healthz HTTP/1.1',
        `GET /healthz HTTP/1.1\r\nHost: ${host}\r\nExpect: 200-ok\r\nConnection: close`,
        `CONNECT example.com:443 HTTP/1.1\r\nHost: ${host}`,
      ]) {
        const before = trapped.lines().filter(({ event }) => event === 'honeytoken_used').length;
        await sendBytes(trapped.url, `${head}\r\nX-Key: ${token}\r\n\r\n`);
        await linesOf(trapped, ['honeytoken_used'], before + 1);
      }
    });

    for (const [how, ask] of [
      [
        'behind hundreds of look-alikes',
        (noise: string) => ({ headers: { 'x-keys': noise, authorization: `Bearer ${token}` } }),
      ],
      [
        'behind hundreds of look-alikes in a compressed body',
        (noise: string) => ({ method: 'POST', body: gzipSync(`${noise} ${token}`) }),
      ],
      ['in base64, in other letters', () => ({ headers: { 'x-a': btoa(token.toUpperCase()) } })],
    ] as const) {
      test(how, async () => {
        const { trapped } = mounted();
        const before = usesOf(trapped).length;
        const noise = Array.from({ length: 250 }, (_, index) =>
          index.toString(2).replaceAll('0', 'a').replaceAll('1', 'b').padStart(32, 'c'),
        );
        await fetch(`${trapped.url}/nothing`, ask(noise.join(' ')));
        await linesOf(trapped, ['honeytoken_used'], before + 1);
      });
    }

    test('as the name of a client that registers, and the line of that does not hold it', async () => {
      const { trapped } = mounted();
      const before = usesOf(trapped).length;
      const answer = await fetch(`${trapped.url}/register`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ client_name: token, redirect_uris: ['http://127.0.0.1/callback'] }),
      });
      assert.equal(answer.status, 201);
      await trapped.line((line) => line.client_name === '[honeytoken]');
      await linesOf(trapped, ['honeytoken_used'], before + 1);
    });

    test('as a credential, in the midst of a flood of look-alikes of the same source', async () => {
      const { trapped } = mounted();
      const requests = Array.from({ length: 3_000 }, (_, index) => {
        const letters = index.toString(2).replaceAll('0', 'A').replaceAll('1', 'B');
        const keys = Array.from({ length: 16 }, (_, at) => {
          return `AKIA${letters}${String.fromCharCode(65 + at)}`.padEnd(20, 'C');
        });
        return `GET /nothing HTTP/1.1\r\nHost: x\r\nX-Keys: ${keys.join(' ')}\r\n`;
      });
      const thief = `GET /nothing HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n\r\n`;
      await sendBytes(trapped.url, `${requests.join('\r\n')}\r\n${thief}`, {
        localAddress: '127.0.0.8',
      });
      await trapped.line(
        ({ event, 'source.ip': source }) => event === 'honeytoken_used' && source === '127.0.0.8',
      );
      // So many requests cannot all be searched in time.
      await trapped.line(({ unsearched_requests: count }) => Number(count) > 0);
    });

    test('behind thousands of requests that are not all logged', async () => {
      const { trapped } = mounted();
      const thief = `GET /nothing HTTP/1.1\r\nHost: x\r\nX-Key: ${token}\r\nConnection: close\r\n\r\n`;
      const noise = 'GET /.aws/credentials HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(2_000);
      await sendBytes(trapped.url, noise + thief, { localAddress: '127.0.0.7' });
      const lines = () => trapped.lines().filter((line) => line['source.ip'] === '127.0.0.7');
      const hits = () => lines().filter(({ event }) => event === 'decoy_hit').length;
      const leftOut = () => {
        const counts = lines().filter(({ event }) => event === 'events_left_out');
        return counts.reduce((sum, { count }) => sum + Number(count), 0);
      };
      await trapped.line(() => leftOut() > 0 && leftOut() + hits() === 2_000);
      const isItsUse = (line: LogLine) =>
        line.event === 'honeytoken_used' && line['source.ip'] === '127.0.0.7';
      assert.equal((await trapped.linesThat(isItsUse, 1)).length, 1);
      assert.ok(hits() < 1_000, `${hits()} lines of one source`);
    });

    test('and neither it nor the key is in any line of the log', () => {
      for (const value of [token, KEY]) assert.ok(!mounted().trapped.stdout().includes(value));
    });
  });
}

/** Resolves once the server has closed the connection. */
async function sendBytes(
  url: string,
  bytes: string,
  from: { localAddress?: string } = {},
): Promise<void> {
  const { hostname, port } = new URL(url);
  const socket = connect({ port: Number(port), host: hostname, ...from });
  socket.write(bytes);
  socket.resume();
  await once(socket, 'close');
}

function usesOf(program: ProgramProcess) {
  return program.lines().filter(({ event }) => event === 'honeytoken_used');
}

/** Anyone who took the token is in the line of its use. */
export async function assertNamed(program: ProgramProcess): Promise<void> {
  const line = await program.line(({ event }) => event === 'honeytoken_used');
  assert.match(JSON.stringify(line), /127\.0\.0\.1/);
}
