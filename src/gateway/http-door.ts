/**
 * The HTTP door: `/via/<target>/<path>` for clients that speak HTTP and not MCP. A client presents a
 * key of the gateway where it would put the API key; the request takes the same thirteen steps.
 *
 * The attacks: a web page that calls the door from its visitor's browser (a foreign origin, a
 * navigation and a service worker are refused), DNS rebinding, guesses of keys (limited per source),
 * and answers that attack the gateway's own origin (see `answer-headers.ts`).
 */
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sourceOf } from '../core/http/client-address.ts';
import { readTraceContext } from '../core/http/trace-context.ts';
import { keepOpenBehindUnreadBody } from '../core/http/unread-body.ts';
import { DAY_MS } from '../core/time.ts';
import { originGuard } from '../mcp/origin.ts';
import { Audit, writeUnauthenticatedLine } from './audit.ts';
import type { Config, DoorKey } from './config/config.ts';
import { DOOR_HEADERS } from './door/answer-headers.ts';
import { CallsUnderWay } from './door/calls-under-way.ts';
import {
  type DoorPath,
  matchNamedTarget,
  parseDoorPath,
  parseDoorRequest,
} from './door/door-request.ts';
import { type Admitted, KeyRing } from './door/presented-key.ts';
import { RequestBodies } from './door/request-bodies.ts';
import { streamAnswer } from './door/stream-answer.ts';
import { type Client, type PipelineParts, runSteps } from './pipeline.ts';
import { Refusal } from './request/refusal.ts';

export interface Door {
  /** From now on a key serves no more; false where it did not, or there is none. */
  freezeKey(user: string, name: string): Promise<boolean>;
  /** Aborts the calls whose key is no longer configured. */
  endRemovedKeys(): void;
}

/** By the digests of keys that a tripwire ended; until a restart, or in a shared store for a year. */
const FROZEN_KEYS = 'frozen-keys';
const FROZEN_FOR = { ttlMs: 365 * DAY_MS, evictable: false } as const;
const CHALLENGES = ['Bearer realm="gatehouse"', 'Basic realm="gatehouse", charset="UTF-8"'];

export function mountDoor(
  app: FastifyInstance,
  parts: PipelineParts,
  onUse: (key: DoorKey) => void,
): Door {
  const { active, store, log } = parts;
  const { publicUrl } = active.config.server;
  const origins = originGuard(publicUrl, () => active.config.server.allowedOrigins);
  const bodies = new RequestBodies();
  const running = new CallsUnderWay();
  const frozen = new Set<string>();
  let ring: { readonly config: Config; readonly keys: KeyRing } | undefined;

  function keys(): KeyRing {
    if (ring?.config !== active.config) {
      ring = { config: active.config, keys: new KeyRing(active.config) };
    }
    return ring.keys;
  }

  async function serve(path: DoorPath, request: FastifyRequest, reply: FastifyReply) {
    const { headers } = request;
    if (!origins.isHostAllowed(headers.host)) return refuse(request, reply, FORBIDDEN_HOST);
    if (isFromBrowserPage(headers, origins.isOriginAllowed)) {
      return refuse(request, reply, FORBIDDEN_ORIGIN);
    }
    const presented = keys().present(path.targetId, { headers, query: path.query }, Date.now());
    if (presented.kind === 'ambiguous') {
      return refuse(request, reply, {
        status: 400,
        error: 'ambiguous_key',
        message: presented.message,
      });
    }
    if (presented.kind === 'unknown') return refuseUnknown(request, reply);
    if (await isFrozen(presented.key)) return refuseUnknown(request, reply);
    await call(path, presented, request, reply);
  }

  /** Another replica may have frozen it. Nothing is asked where nothing is ever frozen. */
  async function isFrozen({ digest }: DoorKey): Promise<boolean> {
    if (frozen.has(digest)) return true;
    if (active.config.server.onTripwire !== 'freeze') return false;
    return (await store.getRecent(FROZEN_KEYS, digest)) !== undefined;
  }

  async function refuseUnknown(request: FastifyRequest, reply: FastifyReply) {
    const { loginRateLimit } = active.config.server;
    const take = await store.takeToken(`door:${sourceOf(request.clientAddress)}`, loginRateLimit);
    if (take.ok) {
      reply.header('www-authenticate', CHALLENGES);
      return refuse(request, reply, UNAUTHORIZED);
    }
    reply.header('retry-after', Math.ceil(take.retryAfterMs / 1_000));
    return refuse(request, reply, TOO_MANY_ATTEMPTS);
  }

  function refuse(request: FastifyRequest, reply: FastifyReply, refusal: DoorRefusal): void {
    const { status, error } = refusal;
    const [path] = request.raw.url!.split('?', 1);
    writeUnauthenticatedLine(log, active.clean(`${publicUrl}${path}`), request, status, error);
    keepOpenBehindUnreadBody(request.raw, reply.raw);
    reply.code(status).headers(DOOR_HEADERS).send({ error, message: refusal.message, status });
  }

  async function call(
    path: DoorPath,
    admitted: Admitted,
    request: FastifyRequest,
    reply: FastifyReply,
  ) {
    const { key } = admitted;
    const { raw: client } = reply;
    const caller = { user: key.user, incarnation: active.incarnation(key.user)!, clientId: '' };
    const method = request.method;
    const body = await bodies.receive(request.raw, key.user, client);
    if (body instanceof Refusal) return send(reply, body);
    if (body) app.onBodyRead(Buffer.from(body), request.raw);
    if (!keys().has(key)) return refuseUnknown(request, reply);
    onUse(key);
    const underWay = running.add(key, client);
    const doorCall = { path, method, admitted, body };
    const audit = new Audit(
      { ...caller, door: 'http', key: key.name },
      { url: `${publicUrl}/via/${path.targetId}${path.path}`, method },
      active.clean,
    );
    const { result } = await runSteps(
      caller,
      {
        audit,
        name: `key ${key.name}`,
        client: clientOf(request, client),
        maxCapBytes: Number.MAX_SAFE_INTEGER,
        parseRequest: (user) => parseDoorRequest(doorCall, user),
        matchTarget: (user, url) => matchNamedTarget(doorCall, user, url),
        answer: async (response, sent) => {
          reply.hijack();
          const { idleTimeoutMs } = sent.target!;
          const streamed = await streamAnswer(response, sent, client, idleTimeoutMs);
          audit.answered(streamed, streamed.truncated);
          return streamed;
        },
      },
      parts,
    );
    running.remove(underWay);
    if (client.headersSent) {
      if (!client.writableEnded) client.destroy();
    } else if (result instanceof Refusal) {
      send(reply, cleaned(result, key.user));
    }
  }

  function cleaned(refusal: Refusal, user: string): Refusal {
    const { text } = active.redactorFor(user).text(refusal.message);
    return new Refusal(refusal.code, text, refusal);
  }

  app.addHook('onRequest', (request, reply, done) => {
    const path = request.raw.url!.startsWith('/via/') && !keys().isEmpty;
    const doorPath = path ? parseDoorPath(request.raw.url!) : undefined;
    if (doorPath === undefined) return done();
    app.onRequestOutsideHooks(request.raw);
    serve(doorPath, request, reply).catch((error) => {
      reply.headers(DOOR_HEADERS);
      done(error);
    });
  });

  return {
    freezeKey: async (user, name) => {
      const key = active.config.users.get(user)?.keys.find((one) => one.name === name);
      if (!key || (await isFrozen(key))) return false;
      frozen.add(key.digest);
      return store.put(FROZEN_KEYS, key.digest, { name }, FROZEN_FOR);
    },
    endRemovedKeys: () => {
      for (const { key, client } of running) if (!keys().has(key)) client.destroy();
    },
  };
}

/** A refusal before the caller is known. */
interface DoorRefusal {
  readonly status: 400 | 401 | 403 | 429;
  readonly error: string;
  readonly message: string;
}

const FORBIDDEN_HOST: DoorRefusal = {
  status: 403,
  error: 'forbidden_host',
  message: 'this host name is not served here',
};
const FORBIDDEN_ORIGIN: DoorRefusal = {
  status: 403,
  error: 'forbidden_origin',
  message: 'web pages may not call this server',
};
const UNAUTHORIZED: DoorRefusal = {
  status: 401,
  error: 'unauthorized',
  message: 'send a key of this gateway as the API key of your client',
};
const TOO_MANY_ATTEMPTS: DoorRefusal = {
  status: 429,
  error: 'rate_limited',
  message: 'too many requests without a valid key; try again later',
};

/** Programs that are no browsers send none of these headers, or `Sec-Fetch-Mode: cors` alone. */
function isFromBrowserPage(
  headers: IncomingHttpHeaders,
  isOriginAllowed: (origin: string) => boolean,
): boolean {
  const { origin } = headers;
  if (origin !== undefined && !isOriginAllowed(origin)) return true;
  return headers['sec-fetch-mode'] === 'navigate' || headers['service-worker'] === 'script';
}

function send(reply: FastifyReply, refusal: Refusal): void {
  if (refusal.retryAfterMs !== undefined) {
    reply.header('retry-after', Math.ceil(refusal.retryAfterMs / 1_000));
  }
  keepOpenBehindUnreadBody(reply.request.raw, reply.raw);
  reply.code(refusal.status).headers(DOOR_HEADERS).send(refusal.toObject());
}

/** The connection of the client, as the pipeline sees it. */
function clientOf({ headers }: FastifyRequest, response: ServerResponse): Client {
  return {
    trace: readTraceContext(headers.traceparent, headers.tracestate),
    onCancelled: (callback) => {
      if (response.destroyed) callback();
      else response.once('close', () => response.writableFinished || callback());
    },
    onSent: (callback) => {
      if (response.destroyed) callback();
      else response.once('close', callback);
    },
  };
}
