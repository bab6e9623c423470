import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import type { Log } from '../../core/log/log.ts';
import { parseCidr } from '../../core/net/address.ts';
import { Secret } from '../../core/secrets/secret.ts';
import type { NotifyFormat } from '../config/config.ts';
import { createNotifier } from './notify.ts';

interface Message {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

let server: Server;
let port: number;
let statuses: number[] = [];
let received: Message[] = [];
let heard = () => {};
before(async () => {
  server = createServer(async (request, response) => {
    const message = { headers: request.headers, body: await text(request) };
    response.writeHead(statuses.shift() ?? 200).end();
    received.push(message);
    heard();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
});
after(() => server.close());

const ABOUT = {
  target: 'tracker `@everyone` <!channel> secret-of-ada',
  method: 'POST',
  place: 'https://tracker.example.com/issues/secret-of-ada',
  url: 'https://gateway.example.com/approvals/id',
};

function notifier(format: NotifyFormat, networks = ['127.0.0.0/8'], path = '/hook') {
  received = [];
  const failed = Promise.withResolvers<Record<string, unknown>>();
  const warn = (_event: string, fields: object) => failed.resolve({ ...fields });
  const announce = createNotifier({
    active: {
      config: {
        server: {
          notify: { url: new Secret('url', `http://127.0.0.1:${port}${path}`), format },
          allowNetworks: networks.map((network) => parseCidr(network)!),
        },
      },
      clean: (given) => given.replaceAll('secret-of-ada', '[REDACTED]'),
    },
    resolve: async () => [],
    own: { origins: [], listeners: [], localAddresses: [] },
    log: { warn } as unknown as Log,
    retryAfterMs: [0, 0],
  });
  const arrived = (count: number) =>
    new Promise<readonly Message[]>((resolve) => {
      heard = () => received.length >= count && resolve(received);
      heard();
    });
  return { announce, arrived, failed: failed.promise };
}

describe('each format has the target, method, host and path and the link, and no secret', () => {
  for (const format of ['ntfy', 'slack', 'discord', 'json'] as const) {
    test(format, async () => {
      const { announce, arrived } = notifier(format);
      announce(ABOUT);
      const [{ headers, body }] = (await arrived(1)) as [Message];
      const whole = JSON.stringify(headers) + body;
      for (const part of ['tracker', 'POST', 'https://tracker.example.com/issues/', ABOUT.url]) {
        assert.ok(whole.includes(part), part);
      }
      assert.doesNotMatch(whole, /secret-of-ada/);
      if (format === 'ntfy') return assert.equal(headers.click, ABOUT.url);
      assert.equal(headers['content-type'], 'application/json');
      const parsed = JSON.parse(body) as Record<string, unknown>;
      if (format === 'slack') assert.match(String(parsed.text), /&#60;!channel&#62;/);
      if (format === 'slack' || format === 'discord') {
        const shown = String(parsed.text ?? parsed.content);
        assert.match(shown, /^`POST [^`]+`$/m);
      }
      if (format === 'discord') assert.deepEqual(parsed.allowed_mentions, { parse: [] });
      if (format === 'json') assert.equal(parsed.approval_url, ABOUT.url);
    });
  }
});

test('a failed delivery is tried again, in order, and then the next is sent', async () => {
  const { announce, arrived } = notifier('json');
  statuses = [500, 503];
  announce({ ...ABOUT, target: 'one' });
  announce({ ...ABOUT, target: 'two' });
  const targets = (await arrived(4)).map(({ body }) => JSON.parse(body).target);
  assert.deepEqual(targets, ['one', 'one', 'one', 'two']);
});

test('after the last try it is given up, and the log says so without the address', async () => {
  const { announce, failed } = notifier('json');
  statuses = [500, 302, 404];
  announce(ABOUT);
  const line = await failed;
  assert.equal(line.code, 'http_404');
  assert.doesNotMatch(JSON.stringify(line), /hook|127\.0\.0\.1/);
});

test('a private address needs allow_networks', async () => {
  const { announce, failed } = notifier('json', []);
  announce(ABOUT);
  assert.equal((await failed).code, 'blocked_network');
  assert.equal(received.length, 0);
});

test('a flood leaves out what does not fit', async () => {
  const { announce, arrived } = notifier('json');
  for (let at = 0; at < 1_000; at++) announce({ ...ABOUT, target: String(at) });
  const last = JSON.parse((await arrived(101)).at(-1)!.body);
  assert.equal(last.target, '100');
});
