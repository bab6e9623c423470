/**
 * The modern protocol, revision 2026-07-28: every request is independent and describes itself in `_meta`
 * and in its headers. There is no session, no `initialize`, no `ping`, no batch. A request that
 * contradicts itself is refused.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Caller } from '../core/http/caller.ts';
import type { Answer } from './answer.ts';
import { Call } from './call.ts';
import { type Ability, abilitiesOf } from './elicitation/abilities.ts';
import { type ClientAnswer, InputRequired, type Inputs, type Peer } from './elicitation/peer.ts';
import { EventStream } from './event-stream.ts';
import type { Exchange } from './exchange.ts';
import { enclose, type JsonText } from './json-text.ts';
import {
  INVALID_PARAMS,
  invalidRequest,
  isObject,
  kindOf,
  METHOD_NOT_FOUND,
  type Params,
  type Request,
  type RequestId,
  RpcError,
  resultText,
  UNSUPPORTED_VERSION,
} from './jsonrpc.ts';
import type { Listener } from './listeners.ts';
import { checkMirroredArguments, mismatch, requireHeader } from './modern-headers.ts';
import type { Service } from './service.ts';
import { MAX_SUBSCRIPTIONS, resourceUpdated, Subscriptions } from './subscriptions.ts';

export const MODERN_VERSION = '2026-07-28';
const VERSIONS = [MODERN_VERSION];
const META = 'io.modelcontextprotocol/';
const PROTOCOL_VERSION = `${META}protocolVersion`;
const CLIENT_CAPABILITIES = `${META}clientCapabilities`;
const SUBSCRIPTION_ID = `${META}subscriptionId`;
/** Instructions may change with a reload. */
const DISCOVER_TTL_MS = 60_000;

/** Whether a request claims to be of the modern protocol. */
export function claimsModern(version: string | undefined, body: unknown): boolean {
  if (version === MODERN_VERSION) return true;
  if (Array.isArray(body)) return body.some((message) => claimsModern(undefined, message));
  const params = isObject(body) ? body.params : undefined;
  const meta = isObject(params) ? params._meta : undefined;
  return isObject(meta) && meta[PROTOCOL_VERSION] !== undefined;
}

export async function postModern<C extends Caller>(
  service: Service<C>,
  caller: C,
  body: unknown,
  headers: IncomingHttpHeaders,
  exchange: Exchange,
): Promise<void> {
  if (Array.isArray(body)) {
    throw invalidRequest('this revision has no batches');
  }
  const kind = kindOf(body);
  if (typeof kind === 'object') throw invalidRequest(kind.invalid);
  if (kind === 'response') throw invalidRequest('this revision has no requests to the client');
  if (kind === 'notification') return exchange.accept();

  const request = body as Request;
  const params = request.params ?? {};
  checkMeta(headers, params);
  requireHeader(headers, 'Mcp-Method', request.method);
  const method = service.methods.get(request.method);
  const name = method?.named && params[method.named];
  if (typeof name === 'string') requireHeader(headers, 'Mcp-Name', name);
  if (request.method === 'server/discover') {
    const about = await service.about(caller);
    const members = `"supportedVersions":${JSON.stringify(VERSIONS)},${about}`;
    const { discoverMeta } = service;
    return exchange.finish(modernResult(discoverMeta, request.id, members, DISCOVER_TTL_MS));
  }
  if (request.method === 'subscriptions/listen') {
    return listen(service, caller, request.id, params, exchange.answer);
  }
  if (method === undefined) {
    throw new RpcError(METHOD_NOT_FOUND, 'there is no such method', { status: 404 });
  }
  if (request.method === 'tools/call') {
    const mirrored = service.mirrored.get(params.name as string);
    if (mirrored !== undefined) checkMirroredArguments(headers, params.arguments, mirrored);
  }
  const call = new Call(caller, exchange, params);
  const subject = [caller.user, caller.incarnation, request.method, String(params.name)];
  call.peer = new ModernPeer(params._meta as Params, inputsOf(service, params, subject));
  exchange.begin();
  try {
    const members = await method.run(params, call);
    await exchange.finish(modernResult(service.modernMeta, request.id, members, method.ttlMs));
  } catch (error) {
    if (!(error instanceof InputRequired)) throw error;
    const requests = JSON.stringify(error.requests);
    const state = JSON.stringify(service.requestStates.seal(error.state, subject));
    const asked = `"resultType":"input_required","inputRequests":${requests},"requestState":${state}`;
    await exchange.finish(resultText(request.id, `${asked},${service.modernMeta}`));
  }
}

/** A client that tools ask by `InputRequired`. */
class ModernPeer implements Peer {
  readonly inputs: Inputs;
  readonly #meta: Params;

  constructor(meta: Params, inputs: Inputs) {
    this.#meta = meta;
    this.inputs = inputs;
  }

  get abilities(): readonly Ability[] {
    return abilitiesOf(this.#meta[CLIENT_CAPABILITIES]);
  }

  notify(): void {}
}

/** The answers to the `InputRequired` of the round before, and its state, whose seal is checked. */
function inputsOf<C extends Caller>(
  { requestStates }: Service<C>,
  params: Params,
  subject: readonly string[],
): Inputs {
  const { inputResponses = {}, requestState } = params;
  if (params.inputResponses === undefined && requestState === undefined) return NO_INPUTS;
  const answers = inputResponses as Record<string, ClientAnswer>;
  if (!isObject(answers) || !Object.values(answers).every(isObject)) {
    throw invalid('`inputResponses` must be an object of objects');
  }
  if (requestState === undefined) return { answers, state: undefined };
  const state =
    typeof requestState === 'string' ? requestStates.open(requestState, subject) : undefined;
  if (state) return { answers, state };
  throw invalid('`requestState` is not of this server or has expired; call again without it');
}

const NO_INPUTS: Inputs = { answers: {}, state: undefined };

function checkMeta(headers: IncomingHttpHeaders, params: Params): void {
  const meta = params._meta;
  if (!isObject(meta)) throw invalid('`_meta` is required');
  const version = meta[PROTOCOL_VERSION];
  if (typeof version !== 'string') throw invalid(`\`_meta\` needs ${PROTOCOL_VERSION}`);
  const header = headers['mcp-protocol-version'];
  if (header === undefined) throw mismatch('the MCP-Protocol-Version header is required');
  if (header !== version) throw mismatch('the MCP-Protocol-Version header does not equal the body');
  if (version !== MODERN_VERSION) {
    throw new RpcError(UNSUPPORTED_VERSION, 'unsupported protocol version', {
      status: 400,
      data: { supported: VERSIONS, requested: version },
    });
  }
  if (!isObject(meta[CLIENT_CAPABILITIES])) {
    throw invalid(`\`_meta\` needs ${CLIENT_CAPABILITIES}`);
  }
}

function invalid(message: string): RpcError {
  return new RpcError(INVALID_PARAMS, message, { status: 400 });
}

function modernResult(
  meta: string,
  id: RequestId,
  members: JsonText,
  ttlMs: number | undefined,
): JsonText {
  const kept = ttlMs === undefined ? '' : `,"ttlMs":${ttlMs},"cacheScope":"private"`;
  const after = `,"resultType":"complete"${kept},${meta}`;
  return resultText(id, enclose('', members, after));
}

/**
 * A stream of notifications about changes of the list of tools, and of single resources. It ends at once
 * where the client asked for nothing that can change.
 */
function listen<C extends Caller>(
  service: Service<C>,
  caller: C,
  id: RequestId,
  params: Params,
  answer: Answer,
): void {
  if (!isObject(params.notifications)) {
    throw new RpcError(INVALID_PARAMS, '`notifications` must be an object');
  }
  const uris = urisOf(params.notifications.resourceSubscriptions);
  const _meta = { [SUBSCRIPTION_ID]: id };
  const subscriptions = new Subscriptions();
  const stream = new EventStream(answer.response, service.pace, () => {
    subscriptions.end();
    service.listeners.remove(caller.user, listener);
  });
  const notify = (method: string, about: object) =>
    stream.send(JSON.stringify({ jsonrpc: '2.0', method, params: { ...about, _meta } }));
  const updated = (uri: string) =>
    service.listeners.notify(caller.user, listener, () => {
      const { method, params } = resourceUpdated(uri);
      notify(method, params);
    });
  const listensToTools = params.notifications.toolsListChanged === true;
  const listener: Listener = {
    isAlive: () => service.isAlive(answer.request),
    toolsChanged: () => {
      if (listensToTools) notify('notifications/tools/list_changed', {});
    },
    end: () => {
      subscriptions.end();
      const meta = `"_meta":${JSON.stringify({ ..._meta, [`${META}serverInfo`]: service.info })}`;
      stream.send(resultText(id, `"resultType":"complete",${meta}`));
      stream.end();
    },
  };
  const { watchResource } = service;
  const watched = watchResource
    ? uris.filter((uri) => subscriptions.add(uri, watchResource, updated))
    : [];
  const notifications = {
    ...(listensToTools && { toolsListChanged: true }),
    ...(watched.length > 0 && { resourceSubscriptions: watched }),
  };
  notify('notifications/subscriptions/acknowledged', { notifications });
  if (listensToTools || watched.length > 0) service.listeners.add(caller.user, listener);
  else listener.end();
}

function urisOf(value: unknown): readonly string[] {
  if (value === undefined) return [];
  if (!Array.isArray(value) || !value.every((uri) => typeof uri === 'string')) {
    throw new RpcError(INVALID_PARAMS, '`resourceSubscriptions` must be an array of URIs');
  }
  if (value.length > MAX_SUBSCRIPTIONS) {
    const message = `\`resourceSubscriptions\` may name at most ${MAX_SUBSCRIPTIONS} resources`;
    throw new RpcError(INVALID_PARAMS, message);
  }
  return [...new Set(value as string[])];
}
