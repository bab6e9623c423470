import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import type { Pool } from 'undici';
import { hangUpBy } from '../../../test/support/http/hang-up.ts';
import {
  closureOf,
  type RawUpstream,
  startRawUpstream,
} from '../../../test/support/http/raw-upstream.ts';
import { parseAddress } from '../../core/net/address.ts';
import type { PinnedAddress } from '../../core/net/guard.ts';
import { Refusal, type RefusalCode } from '../request/refusal.ts';
import type { OutboundRequest } from '../request/request.ts';
import { Deadline } from './deadline.ts';
import { exchange, headerOf, type Sink, type UpstreamResponse } from './exchange.ts';
import { UpstreamPools } from './pools.ts';

const OWNER = { user: 'alice', target: 'target', generation: 1 };
const LOOPBACK = [parseAddress('127.0.0.1') as PinnedAddress];
const NEVER = new AbortController().signal;

let upstream: RawUpstream;
let pools: UpstreamPools;
const deadlines: Deadline[] = [];

before(async () => {
  upstream = await startRawUpstream();
  pools = new UpstreamPools();
});
afterEach(() => {
  for (const deadline of deadlines.splice(0)) deadline.end();
});
after(async () => {
  pools.closeAll();
  await upstream.close();
});

const refusal = (code: RefusalCode) => (error: unknown) =>
  error instanceof Refusal && error.code === code;

async function send(client = NEVER, timeoutMs = 20_000): Promise<UpstreamResponse> {
  const deadline = new Deadline(timeoutMs, hangUpBy(client));
  deadlines.push(deadline);
  const sending = { hasBegun: false };
  const outbound = request(upstream.port);
  const response = await exchange(await pool(upstream.port), outbound, deadline, sending);
  assert.equal(sending.hasBegun, true);
  return response;
}

function pool(port: number): Promise<Pool> {
  return pools.for(OWNER, `http://127.0.0.1:${port}`, LOOPBACK);
}

function request(port: number): OutboundRequest {
  return {
    ...{ method: 'GET', scheme: 'http', host: '127.0.0.1', port, path: '/' },
    headers: ['accept', '*/*'],
    body: undefined,
  };
}

async function readAll(response: UpstreamResponse): Promise<string> {
  const chunks: Uint8Array[] = [];
  await response.read((chunk) => chunks.push(chunk) > 0);
  return Buffer.concat(chunks).toString('latin1');
}

describe('an exchange', () => {
  test('gives status, headers as bytes in their order, and the body', async () => {
    upstream.script = (socket) => {
      socket.write(
        'HTTP/1.1 207 Odd\r\nX-A: 1\r\nx-b: \xe9\r\nX-A: 2\r\nContent-Length: 4\r\n\r\nbody',
        'latin1',
      );
    };
    const response = await send();
    assert.equal(response.status, 207);
    assert.deepEqual(
      response.rawHeaders.map((bytes) => Buffer.from(bytes).toString('latin1')),
      ['X-A', '1', 'x-b', '\xe9', 'X-A', '2', 'Content-Length', '4'],
    );
    assert.deepEqual(
      ['x-a', 'x-b', 'content-length', 'x-c'].map((name) => headerOf(response, name)),
      ['1, 2', '\xe9', '4', undefined],
    );
    assert.equal(await readAll(response), 'body');
  });

  test('passes over informational answers and what they carry', async () => {
    upstream.script = (socket) => {
      socket.write('HTTP/1.1 103 Early Hints\r\nX-Early: 1\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n');
      // The answer itself comes later, when the others have long been read.
      setTimeout(() => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'), 30);
    };
    const response = await send();
    assert.deepEqual([response.status, headerOf(response, 'x-early')], [200, undefined]);
    assert.equal(await readAll(response), 'ok');
  });

  test('never shows a trailer', async () => {
    upstream.script = (socket) => {
      socket.write(
        'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX-T: 1\r\n\r\n',
      );
    };
    const response = await send();
    assert.equal(await readAll(response), 'ok');
    assert.equal(headerOf(response, 'x-t'), undefined);
  });

  test('waits for a slow sink before it hands on the next chunk', async () => {
    upstream.script = (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
      socket.write(`${'1\r\nx\r\n'.repeat(50)}0\r\n\r\n`);
    };
    let [busy, most, taken] = [0, 0, 0];
    const slow: Sink = async (chunk) => {
      busy += 1;
      most = Math.max(most, busy);
      await new Promise(setImmediate);
      taken += chunk.length;
      busy -= 1;
      return true;
    };
    await (await send()).read(slow);
    assert.deepEqual([most, taken], [1, 50]);
  });

  test('drops the connection once no more is wanted', async () => {
    let closed: Promise<void> | undefined;
    upstream.script = (socket) => {
      closed = closureOf(socket);
      socket.write('HTTP/1.1 200 OK\r\n\r\nfirst');
    };
    await (await send()).read(() => false);
    await closed;
    await (await send()).read(async () => false);
    await closed;
    (await send()).discard();
    await closed;
  });

  /** Closes as soon as all is out; `come` resolves when the gateway has closed as well. */
  function closingUpstream(): { come: Promise<void> } {
    const { promise, resolve } = Promise.withResolvers<void>();
    upstream.script = (socket) => {
      socket.on('close', () => resolve());
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody');
    };
    return { come: promise };
  }

  test('is whole although the upstream closes while the sink is busy with the end', async () => {
    const { come } = closingUpstream();
    const taken: string[] = [];
    const response = await send();
    await response.read(async (chunk) => {
      await come;
      return taken.push(Buffer.from(chunk).toString()) > 0;
    });
    assert.deepEqual(taken, ['body']);
    assert.equal(response.bytesRead, 4);
  });

  test('is refused when the sink fails after all has come', async () => {
    const { come } = closingUpstream();
    const response = await send();
    const failing: Sink = async () => {
      await come;
      throw new Refusal('upstream_error', 'damaged');
    };
    await assert.rejects(response.read(failing), /damaged/);
  });

  test('is refused when its time is over after all has come, before the sink took it', async () => {
    const { come } = closingUpstream();
    const client = new AbortController();
    const response = await send(client.signal);
    const reading = response.read(() => new Promise(() => {}));
    await come;
    client.abort();
    await assert.rejects(reading, refusal('cancelled'));
  });

  test('is refused when the sink fails', async () => {
    upstream.script = (socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\nfirst');
    };
    const own = new Refusal('upstream_error', 'the compressed answer is damaged');
    const response = await send();
    await assert.rejects(
      response.read(() => Promise.reject(own)),
      (error) => error === own,
    );
  });
});

describe('an exchange that breaks', () => {
  test('before the headers is refused', async () => {
    upstream.script = (socket) => socket.destroy();
    await assert.rejects(send(), refusal('upstream_error'));
  });

  test('within the body is refused, also when nobody had read yet', async () => {
    for (const late of [false, true]) {
      let broken: Promise<void> | undefined;
      upstream.script = (socket) => {
        broken = closureOf(socket);
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf', () => {
          if (late) socket.end();
          else setImmediate(() => socket.end());
        });
      };
      const response = await send();
      if (late) await broken;
      await assert.rejects(readAll(response), refusal('upstream_error'));
    }
  });

  test('by a reset is refused, although the body has no length to miss', async () => {
    upstream.script = (socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\nhalf', () => socket.resetAndDestroy());
    };
    await assert.rejects(send().then(readAll), refusal('upstream_error'));
  });

  test('by a refused connection says so, and nothing of the address', async () => {
    const closedPort = (await startRawUpstream().then(async (other) => {
      await other.close();
      return other.port;
    })) as number;
    const deadline = new Deadline(20_000, hangUpBy(NEVER));
    deadlines.push(deadline);
    const sending = { hasBegun: false };
    await assert.rejects(
      exchange(await pool(closedPort), request(closedPort), deadline, sending),
      (error: Refusal) =>
        error.code === 'upstream_error' && !error.message.includes(String(closedPort)),
    );
    assert.equal(sending.hasBegun, false);
  });
});

describe('the deadline of an exchange', () => {
  test('ends it before the headers', async () => {
    upstream.script = () => {};
    await assert.rejects(send(NEVER, 50), refusal('upstream_timeout'));
  });

  test('ends it within the body, also while the sink is busy', async () => {
    let closed: Promise<void> | undefined;
    upstream.script = (socket) => {
      closed = closureOf(socket);
      socket.write('HTTP/1.1 200 OK\r\n\r\nfirst');
    };
    const response = await send(NEVER, 200);
    await assert.rejects(
      response.read(() => new Promise(() => {})),
      refusal('upstream_timeout'),
    );
    await closed;
  });

  test('is also the moment at which the client hangs up', async () => {
    const client = new AbortController();
    upstream.script = () => client.abort();
    await assert.rejects(send(client.signal), refusal('cancelled'));
    await assert.rejects(send(client.signal), refusal('cancelled'));
  });
});

test('a pool belongs to addresses, in whatever order they were answered', () => {
  const [one, other] = ['127.0.0.1', '127.0.0.2'].map(
    (text) => parseAddress(text) as PinnedAddress,
  );
  const first = pools.for(OWNER, 'http://two.example', [one!, other!]);
  assert.equal(pools.for(OWNER, 'http://two.example', [other!, one!]), first);
  assert.notEqual(pools.for(OWNER, 'http://two.example', [one!]), first);
});
