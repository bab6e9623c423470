/** Approvals with the official SDK clients, with other clients, and through the HTTP door. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import {
  Client as Client2,
  StreamableHTTPClientTransport as Transport2,
} from '@modelcontextprotocol/client';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as Transport1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  ElicitationCompleteNotificationSchema,
  ElicitRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { digestOf, KEY } from '../support/gateway/door.ts';
import { type LogLine, linesOf } from '../support/gateway/gateway.ts';
import { signInPerson } from '../support/gateway/person.ts';
import { PASSWORD, startSignedIn } from '../support/gateway/signed-in.ts';
import { startUpstream } from '../support/http/upstream.ts';

let count = 0;
const upstream = await startUpstream();
const signedIn = await startSignedIn({
  server: { allow_networks: ['127.0.0.0/8'] },
  users: [
    {
      name: 'ada',
      keys: [{ name: 'laptop', key: digestOf(KEY) }],
      targets: [
        {
          ...{ id: 'tracker', description: 'd', base_url: upstream.url },
          ...{ methods: ['GET', 'POST'], approve: ['POST'] },
        },
      ],
    },
  ],
});
const ada = await signInPerson(signedIn.gateway.url, 'ada', PASSWORD);
after(async () => {
  await signedIn?.gateway.stop();
  await upstream?.close();
});

/** A request of its own each time. */
const request = () => ({ url: `${upstream.url}/issues/${count++}`, method: 'POST', body: '{}' });
const lineOf = async (id: string, event: string): Promise<LogLine> => {
  const isIt = (line: LogLine) => line.approval_id === id && line.event === event;
  for (let seen = 1; ; seen++) {
    const found = (await linesOf(signedIn.gateway, [event], seen)).find(isIt);
    if (found) return found;
  }
};

interface Asked {
  readonly url: string;
  readonly elicitationId?: string;
}
type OnAsked = (asked: Asked) => Promise<'accept' | 'decline' | 'cancel'>;

interface Connected {
  callTool(args: object): Promise<{ isError?: boolean; value: Record<string, unknown> }>;
  readonly completed: string[];
  close(): Promise<void>;
}

const INFO = { name: 'test', version: '1' };
const OPTIONS = { capabilities: { elicitation: { url: {} } } };

async function connect(kind: 'auto' | 'legacy' | '1.x', onAsked: OnAsked): Promise<Connected> {
  const headers = { authorization: `Bearer ${signedIn.token('ada')}` };
  const url = new URL(`${signedIn.gateway.url}/mcp`);
  const completed: string[] = [];
  const handler = async ({ params }: { params: unknown }) => ({
    action: await onAsked(params as Asked),
  });
  const client =
    kind === '1.x'
      ? new Client1(INFO, OPTIONS)
      : new Client2(INFO, { ...OPTIONS, versionNegotiation: { mode: kind } });
  if (client instanceof Client1) {
    client.setRequestHandler(ElicitRequestSchema, handler as never);
    client.setNotificationHandler(ElicitationCompleteNotificationSchema, ({ params }) => {
      completed.push(params.elicitationId);
    });
    await client.connect(new Transport1(url, { requestInit: { headers } }) as Transport);
  } else {
    client.setRequestHandler('elicitation/create', handler as never);
    await client.connect(new Transport2(url, { requestInit: { headers } }));
  }
  return {
    completed,
    callTool: async (args) => {
      const call = { name: 'http_request', arguments: args as Record<string, unknown> };
      const { content, isError } = await client.callTool(call);
      const [{ text }] = content as [{ text: string }];
      return { isError: isError === true, value: JSON.parse(text) };
    },
    close: () => client.close(),
  };
}

for (const kind of ['auto', 'legacy', '1.x'] as const) {
  describe(`client ${kind === '1.x' ? kind : `2.x, ${kind}`}`, () => {
    test('opens the page, waits for the decision, and has the answer', async () => {
      const opened: Asked[] = [];
      const client = await connect(kind, async (asked) => {
        opened.push(asked);
        // Beside the answer of the client: the call waits for the person alone.
        void ada.post(asked.url, { decision: 'once' });
        return 'accept';
      });
      const { value } = await client.callTool(request());
      assert.equal(value.status, 200);
      assert.equal(opened.length, 1);
      const id = opened[0]!.url.split('/').at(-1)!;
      if (kind !== 'auto') assert.equal(opened[0]!.elicitationId, id);
      if (kind === '1.x') assert.deepEqual(client.completed, [id]);
      const line = await lineOf(id, 'approval_decided');
      assert.deepEqual([line.user, line.target, line.decision], ['ada', 'tracker', 'once']);
      await client.close();
    });

    test('has the refusal when the person denies', async () => {
      const client = await connect(kind, async ({ url }) => {
        assert.equal(await ada.post(url, { decision: 'denied', reason: 'not today' }), 200);
        return 'accept';
      });
      const { value, isError } = await client.callTool(request());
      assert.deepEqual([isError, value.error], [true, 'approval_denied']);
      assert.match(String(value.message), /not today/);
      await client.close();
    });

    test('has approval_required when its user will not open the page; the call passes later', async () => {
      const client = await connect(kind, async () => 'decline');
      const args = request();
      const { value } = await client.callTool(args);
      assert.equal(value.error, 'approval_required');
      assert.equal(await ada.post(String(value.approval_url), { decision: 'once' }), 200);
      assert.equal((await client.callTool(args)).value.status, 200);
      await client.close();
    });
  });
}

test('a client of 2026-07-28 cannot pass another approval off as the one that it was asked for', async () => {
  const urls: string[] = [];
  const client = await connect('auto', async ({ url }) => {
    urls.push(url);
    return 'decline';
  });
  const [one, two] = [request(), request()];
  await client.callTool(one);
  await ada.post(urls[0]!, { decision: 'once' });
  assert.equal((await client.callTool(two)).value.error, 'approval_required');
  assert.equal(urls.length, 2);
  assert.equal((await client.callTool(one)).value.status, 200);
  await client.close();
});

test('a client without elicitation: refusal, approval, the same call again', async () => {
  const args = request();
  const { value } = await signedIn.request('ada', args);
  assert.deepEqual([value.error, value.status], ['approval_required', 403]);
  assert.match(String(value.message), /send the same call again/);
  await ada.post(String(value.approval_url), { decision: 'once' });
  const second = await signedIn.request('ada', args);
  assert.equal(second.value.status, 200);
  const refusal = await lineOf(String(value.approval_id), 'request');
  assert.equal(refusal.error, 'approval_required');
});

test('through the HTTP door: 403, approval, the same request again; not for another client', async () => {
  const url = `${signedIn.gateway.url}/via/tracker/door`;
  const post = () =>
    fetch(url, { method: 'POST', body: '{}', headers: { authorization: `Bearer ${KEY}` } });
  const refused = await post();
  const value = (await refused.json()) as Record<string, string>;
  assert.deepEqual([refused.status, value.error], [403, 'approval_required']);
  const { text } = await ada.open(value.approval_url!);
  assert.match(text, /the key laptop/);
  assert.equal(await ada.post(value.approval_url!, { decision: '15m' }), 200);
  assert.equal((await post()).status, 200);
  assert.equal((await post()).status, 200);
  const overMcp = await signedIn.request('ada', {
    url: `${upstream.url}/door`,
    method: 'POST',
    body: '{}',
  });
  assert.equal(overMcp.value.error, 'approval_required');
});

test('list_targets says what needs approval', async () => {
  const { callTool } = await import('../support/gateway/gateway.ts');
  const { value } = await callTool(signedIn.gateway.url, signedIn.token('ada'), 'list_targets');
  const [target] = value.targets as [{ needs_approval: object }];
  assert.deepEqual(target.needs_approval, { methods: ['POST'], paths: ['/**'] });
});
