/**
 * The legacy protocol, revisions 2025-03-26 to 2025-11-25: `initialize` and sessions, batches,
 * notifications from the client, a GET stream for what the server says unasked.
 *
 * It is lenient: a request without a session is served as it is.
 */
import type { Caller } from '../core/http/caller.ts';
import type { Answer } from './answer.ts';
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
/** So many requests of one batch run at the same time. */
const BATCH_LANES = 4;
const MAX_STREAMS_PER_SESSION = 4;
const TOOLS_CHANGED = '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}';

/** Who posts, and the headers that matter here. */
export interface LegacyCaller<C extends Caller> {
  readonly caller: C;
  readonly sessionId: string | undefined;
  readonly version: string | undefined;
}

/** The head of a POST: one message, or a batch of them. */
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
  if (Array.isArray(body)) return postBatch(service, from.caller, session, body, exchange);

  const kind = kindOf(body);
  if (typeof kind === 'object') throw new RpcError(INVALID_REQUEST, kind.invalid, { status: 400 });
  if (kind !== 'request') {
    if (kind === 'notification') notice(service, session, body as Notification);
    else if (session) service.sessions.answer(session, body as Message);
    return exchange.accept();
  }
  exchange.begin();
  const answer = await answerTo(service, from.caller, session, body as Request, exchange, true);
  if (answer !== undefined) await exchange.finish(answer);
}

/** Opens a stream for what the server says unasked. */
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
    throw new RpcError(INVALID_REQUEST, 'the Mcp-Session-Id header is required', { status: 400 });
  }
  await service.sessions.end(session);
}

/** The session that is named, if one is; refuses the versions that no session has. */
function sessionOf<C extends Caller>(
  service: Service<C>,
  from: LegacyCaller<C>,
): Session | undefined | Promise<Session> {
  if (from.version !== undefined && !VERSIONS.includes(from.version)) {
    throw new RpcError(
      INVALID_REQUEST,
      `unsupported MCP-Protocol-Version; supported: ${VERSIONS.join(', ')}`,
      { status: 400 },
    );
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
  service: Service<C>,
  caller: C,
  session: Session | undefined,
  batch: readonly unknown[],
  exchange: Exchange,
): Promise<void> {
  if (batch.length === 0)
    throw new RpcError(INVALID_REQUEST, 'the batch is empty', { status: 400 });
  if (batch.length > MAX_BATCH) {
    throw new RpcError(INVALID_REQUEST, `a batch has at most ${MAX_BATCH} messages; split it`, {
      status: 400,
    });
  }
  exchange.begin();
  const answers = service.batches.answers();
  try {
    let next = 0;
    const lane = async () => {
      while (next < batch.length) {
        const at = next++;
        const { haveRoom } = answers;
        answers.put(at, await batchAnswer(service, caller, session, batch[at], exchange, haveRoom));
      }
    };
    await Promise.all(Array.from({ length: BATCH_LANES }, lane));
    await exchange.finishBatch(answers.inOrder());
  } finally {
    exchange.onClose(() => answers.leave());
  }
}

async function batchAnswer<C extends Caller>(
  service: Service<C>,
  caller: C,
  session: Session | undefined,
  message: unknown,
  exchange: Exchange,
  hasRoom: boolean,
): Promise<string | undefined> {
  const kind = kindOf(message);
  if (typeof kind === 'object') {
    return errorText(idOf(message), new RpcError(INVALID_REQUEST, kind.invalid));
  }
  if (kind === 'notification') notice(service, session, message as Notification);
  if (kind === 'response' && session) service.sessions.answer(session, message as Message);
  if (kind !== 'request') return undefined;
  const request = message as Request;
  const refused = (reason: string) => errorText(request.id, new RpcError(INVALID_REQUEST, reason));
  if (request.method === 'initialize') return refused('initialize cannot be part of a batch');
  if (!hasRoom) {
    return refused('the answers of this batch are too large; send this request again, on its own');
  }
  const answer = await answerTo(service, caller, session, request, exchange, false);
  return answer instanceof JsonPieces ? undefined : answer;
}

/** The answer to one request; none if it was cancelled. Of a batch, one in pieces is sent already. */
async function answerTo<C extends Caller>(
  service: Service<C>,
  caller: C,
  session: Session | undefined,
  request: Request,
  exchange: Exchange,
  isAlone: boolean,
): Promise<JsonText | undefined> {
  if (request.method === 'ping') return resultText(request.id, '');
  const params = request.params ?? {};
  const method =
    service.methods.get(request.method) ?? subscriptionMethod(service, session, request.method);
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

/** A session hears of the changes on its newest stream; while it has none, it hears nothing. */
function subscriptionMethod<C extends Caller>(
  { watchResource }: Service<C>,
  session: Session | undefined,
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

function notice<C extends Caller>(
  service: Service<C>,
  session: Session | undefined,
  message: Notification,
): void {
  if (message.method !== 'notifications/cancelled') return;
  const id = message.params?.requestId;
  if (session !== undefined && isRequestId(id)) service.sessions.cancel(session, id);
}

function legacyError(error: RpcError): RpcError {
  if (!(error instanceof ResourceNotFound)) return error;
  return new RpcError(error.legacyCode, error.message, { data: error.data });
}
