/**
 * The legacy protocol, revisions 2025-03-26 to 2025-11-25: `initialize` and sessions, batches,
 * notifications from the client, a GET stream for notifications of the server. A request without a
 * session is served, too.
 */
import type { Caller } from '../core/http/caller.ts';
import type { Answer } from './answer.ts';
import { BatchAnswers } from './batch.ts';
import { Call } from './call.ts';
import { abilitiesOf } from './elicitation/abilities.ts';
import { askedOnStream } from './elicitation/asked-on-stream.ts';
import { EventStream } from './event-stream.ts';
import type { Exchange } from './exchange.ts';
import { JsonPieces, type JsonText } from './json-text.ts';
import {
  errorText,
  INVALID_PARAMS,
  INVALID_REQUEST,
  idOf,
  invalidRequest,
  isRequestId,
  kindOf,
  METHOD_NOT_FOUND,
  type Message,
  type Notification,
  type Request,
  RpcError,
  resultText,
  SESSION_NOT_FOUND,
} from './jsonrpc.ts';
import type { Listener } from './listeners.ts';
import { type Method, ResourceNotFound } from './methods.ts';
import type { Service } from './service.ts';
import type { Session, SessionStream } from './session.ts';
import { resourceUpdated } from './subscriptions.ts';

const VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26'];
const LATEST_VERSION = '2025-11-25';
const MAX_BATCH = 100;
/** Requests of one batch that run at the same time. */
const BATCH_LANES = 4;
const MAX_STREAMS_PER_SESSION = 4;
const TOOLS_CHANGED = '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}';

/** Who posts, and the headers that matter here. */
export interface LegacyCaller<C extends Caller> {
  readonly caller: C;
  readonly sessionId: string | undefined;
  readonly version: string | undefined;
}

/** What all messages of one POST share. */
interface Post<C extends Caller> {
  readonly service: Service<C>;
  readonly caller: C;
  readonly session: Session | undefined;
  readonly exchange: Exchange;
}

/** Answers a POST: one message, or a batch of them. */
export async function postLegacy<C extends Caller>(
  service: Service<C>,
  from: LegacyCaller<C>,
  body: unknown,
  exchange: Exchange,
): Promise<void> {
  const isInitialize = kindOf(body) === 'request' && (body as Request).method === 'initialize';
  if (isInitialize) return initialize(service, from.caller, body as Request, exchange);
  const found = sessionOf(service, from);
  const session = found instanceof Promise ? await found : found;
  const post = { service, caller: from.caller, session, exchange };
  if (Array.isArray(body)) return postBatch(post, body);

  const kind = kindOf(body);
  if (typeof kind === 'object') throw invalidRequest(kind.invalid);
  if (kind !== 'request') {
    if (kind === 'notification') notice(post, body as Notification);
    else if (session) service.sessions.answer(session, body as Message);
    return exchange.accept();
  }
  exchange.begin();
  const answer = await answerTo(post, body as Request, true);
  if (answer !== undefined) await exchange.finish(answer);
}

/** Opens a stream for notifications of the server. */
export async function openLegacyStream<C extends Caller>(
  service: Service<C>,
  from: LegacyCaller<C>,
  answer: Answer,
): Promise<void> {
  const session = await sessionOf(service, from);
  const { user } = from.caller;
  const stream = new EventStream(answer.response, service.pace, () => {
    service.listeners.remove(user, listener);
    if (session === undefined) return;
    const at = session.streams.indexOf(listener);
    if (at >= 0) session.streams.splice(at, 1);
    session.lastUsedMs = service.now();
  });
  const listener: Listener & SessionStream = {
    isAlive: async () =>
      (await service.isAlive(answer.request)) &&
      (session === undefined || service.sessions.keep(session)),
    send: (json) => service.listeners.notify(user, listener, () => stream.send(json)),
    // A message goes to one stream of a session, never to several.
    toolsChanged: () => {
      if (session === undefined || session.streams.at(-1) === listener) stream.send(TOOLS_CHANGED);
    },
    end: () => stream.end(),
  };
  service.listeners.add(user, listener);
  if (session === undefined) return;
  session.streams.push(listener);
  if (session.streams.length > MAX_STREAMS_PER_SESSION) session.streams.shift()?.end();
}

export async function endLegacySession<C extends Caller>(
  service: Service<C>,
  from: LegacyCaller<C>,
): Promise<void> {
  const session = await sessionOf(service, from);
  if (session === undefined) {
    throw invalidRequest('the Mcp-Session-Id header is required');
  }
  await service.sessions.end(session);
}

/** The session of the request, if it names one; refuses unknown protocol versions. */
function sessionOf<C extends Caller>(
  service: Service<C>,
  from: LegacyCaller<C>,
): Session | undefined | Promise<Session> {
  if (from.version !== undefined && !VERSIONS.includes(from.version)) {
    throw invalidRequest(`unsupported MCP-Protocol-Version; supported: ${VERSIONS.join(', ')}`);
  }
  if (from.sessionId === undefined) return undefined;
  const found = service.sessions.use(from.sessionId, from.caller);
  return found instanceof Promise ? found.then(known) : known(found);
}

function known(session: Session | undefined): Session {
  if (session !== undefined) return session;
  throw new RpcError(SESSION_NOT_FOUND, 'there is no such session; initialize again', {
    status: 404,
  });
}

async function initialize<C extends Caller>(
  service: Service<C>,
  caller: C,
  request: Request,
  exchange: Exchange,
): Promise<void> {
  const requested = request.params?.protocolVersion;
  const version = VERSIONS.find((known) => known === requested) ?? LATEST_VERSION;
  const about = await service.about(caller);
  const abilities = abilitiesOf(request.params?.capabilities);
  const { id } = await service.sessions.open(caller, abilities);
  exchange.answer.response.setHeader('mcp-session-id', id);
  exchange.finish(
    resultText(
      request.id,
      `"protocolVersion":"${version}",${about},"serverInfo":${service.serverInfo}`,
    ),
  );
}

async function postBatch<C extends Caller>(
  post: Post<C>,
  batch: readonly unknown[],
): Promise<void> {
  if (batch.length === 0) throw invalidRequest('the batch is empty');
  if (batch.length > MAX_BATCH) {
    throw invalidRequest(`a batch has at most ${MAX_BATCH} messages; split it`);
  }
  const { service, exchange } = post;
  exchange.begin();
  const answers = new BatchAnswers(service.batches);
  try {
    let next = 0;
    const lane = async () => {
      while (next < batch.length) {
        const at = next++;
        const { isFull } = answers;
        answers.put(at, await batchAnswer(post, batch[at], isFull));
      }
    };
    await Promise.all(Array.from({ length: BATCH_LANES }, lane));
    await exchange.finishBatch(answers.inOrder());
  } finally {
    exchange.onClose(() => answers.release());
  }
}

async function batchAnswer<C extends Caller>(
  post: Post<C>,
  message: unknown,
  isFull: boolean,
): Promise<string | undefined> {
  const { service, session } = post;
  const kind = kindOf(message);
  if (typeof kind === 'object') {
    return errorText(idOf(message), new RpcError(INVALID_REQUEST, kind.invalid));
  }
  if (kind === 'notification') notice(post, message as Notification);
  if (kind === 'response' && session) service.sessions.answer(session, message as Message);
  if (kind !== 'request') return undefined;
  const request = message as Request;
  const refused = (reason: string) => errorText(request.id, new RpcError(INVALID_REQUEST, reason));
  if (request.method === 'initialize') return refused('initialize cannot be part of a batch');
  if (isFull) {
    return refused('the answers of this batch are too large; send this request again, on its own');
  }
  const answer = await answerTo(post, request, false);
  return answer instanceof JsonPieces ? undefined : answer;
}

/** The answer to one request; none if it was cancelled. In a batch, one in pieces is sent here. */
async function answerTo<C extends Caller>(
  post: Post<C>,
  request: Request,
  isAlone: boolean,
): Promise<JsonText | undefined> {
  const { service, caller, session, exchange } = post;
  if (request.method === 'ping') return resultText(request.id, '');
  const params = request.params ?? {};
  const method = service.methods.get(request.method) ?? subscriptionMethod(post, request.method);
  if (method === undefined) {
    return errorText(request.id, new RpcError(METHOD_NOT_FOUND, 'there is no such method'));
  }
  const call = new Call(caller, exchange, params, isAlone);
  if (session && isAlone && exchange.takesStream && session.abilities.length > 0) {
    const send = (message: object) => exchange.notify(JSON.stringify(message));
    call.peer = askedOnStream(session, call, send);
  }
  session?.running.set(request.id, {
    cancel: () => {
      call.cancel();
      if (isAlone) exchange.accept();
    },
  });
  try {
    const members = await method.run(params, call);
    if (call.isCancelled) return undefined;
    const answer = resultText(request.id, members);
    if (!isAlone && answer instanceof JsonPieces) await exchange.sendOfBatch(answer);
    return answer;
  } catch (error) {
    if (call.isCancelled) return undefined;
    return errorText(request.id, legacyError(service.toRpcError(error, request.method)));
  } finally {
    call.end();
    call.peer.end?.();
    session?.running.delete(request.id);
  }
}

/** Changes are sent on the newest stream of the session; without one, they are dropped. */
function subscriptionMethod<C extends Caller>(
  { service: { watchResource }, session }: Post<C>,
  name: string,
): Method<C> | undefined {
  if (name !== 'resources/subscribe' && name !== 'resources/unsubscribe') return undefined;
  if (!watchResource) return undefined;
  const tell = (uri: string) =>
    session?.streams.at(-1)?.send(JSON.stringify({ jsonrpc: '2.0', ...resourceUpdated(uri) }));
  return {
    run: async ({ uri }) => {
      if (typeof uri !== 'string') throw new RpcError(INVALID_PARAMS, '`uri` must be a string');
      if (!session) throw new RpcError(INVALID_REQUEST, 'a subscription needs a session');
      if (name === 'resources/unsubscribe') session.subscriptions.remove(uri);
      else if (!session.subscriptions.add(uri, watchResource, tell))
        throw new ResourceNotFound(uri);
      return '';
    },
  };
}

function notice<C extends Caller>({ service, session }: Post<C>, message: Notification): void {
  if (message.method !== 'notifications/cancelled') return;
  const id = message.params?.requestId;
  if (session !== undefined && isRequestId(id)) service.sessions.cancel(session, id);
}

function legacyError(error: RpcError): RpcError {
  if (!(error instanceof ResourceNotFound)) return error;
  return new RpcError(error.legacyCode, error.message, { data: error.data });
}
