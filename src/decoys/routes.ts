/**
 * The standalone decoys server: the decoys, and the 404 of the claimed server for everything else.
 *
 * Prevents fingerprinting: it uses Node's HTTP server directly, so that no framework is recognisable
 * by a path, a method or a malformed request.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { limitConnections } from '../core/http/connection-limit.ts';
import { createServer, STATUS_CODES } from '../core/http/node-http.ts';
import {
  HEADERS_TIMEOUT_MS,
  KEEP_ALIVE_MS,
  MAX_HEADER_BYTES,
  REQUEST_TIMEOUT_MS,
  TIMEOUT_CHECK_MS,
} from '../core/http/server.ts';
import {
  type ClaimedServer,
  type Fault,
  headOf,
  type Page,
} from './claimed-server/claimed-server.ts';
import { KNOWN_SERVERS } from './claimed-server/known-servers.ts';
import { headerValue } from './detect/header-value.ts';
import { send } from './send.ts';
import { Trap, type TrapOptions } from './trap.ts';

/** A request in all but its method, which Node does not know; letters in any case. */
const UNKNOWN_METHOD = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+) [^\s]+ HTTP\/1\.[01]\r?\n/;
const UPPER = /^[A-Z_-]+$/;
const BAD_HOST = /[\s"<>\\^`{|}]/;

export interface DecoyServerOptions extends Omit<TrapOptions, 'site' | 'claimed'> {
  /** Shorter in tests of slow clients. */
  readonly headersTimeoutMs?: number;
  readonly requestTimeoutMs?: number;
}

export interface DecoyServer extends Server {
  readonly trap: Trap;
}

export function createDecoyServer(options: DecoyServerOptions): DecoyServer {
  const claimed = KNOWN_SERVERS[options.persona?.server ?? 'go'];
  const trap = new Trap({ ...options, site: 'decoys', claimed });
  const server = createServer({
    headersTimeout: options.headersTimeoutMs ?? HEADERS_TIMEOUT_MS,
    requestTimeout: options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS,
    connectionsCheckingInterval: TIMEOUT_CHECK_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    // Node's refusal would look different, and precede the detector.
    requireHostHeader: false,
  });
  limitConnections(server, options.isTrustedProxy);
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    trap.lookAt(request);
    const fault = faultOf(request, claimed);
    if (fault === undefined) {
      const page = rootOf(request, claimed);
      if (page) send(page, response, claimed);
      else trap.answer({ request, response, claim: () => {}, notFound: () => miss(response) });
      return;
    }
    request.socket.end(claimed.refusal(fault, lineOf(request)));
  };
  const miss = (response: ServerResponse) => send(claimed.notFound, response, claimed);
  server.on('request', answer);
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    if (claimed.overlooks.has('expectation')) return answer(request, response);
    trap.lookAt(request);
    request.socket.end(claimed.refusal(faultOf(request, claimed) ?? 'expectation', ''));
  });
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    // Node no longer handles errors and timeouts of this socket.
    socket.on('error', () => socket.destroy());
    trap.lookAt(request);
    const fault = faultOf(request, claimed);
    socket.write(fault === undefined ? missBytes(claimed) : claimed.refusal(fault, ''));
    socket.destroySoon();
  });
  server.on('clientError', (error: ClientError, socket: Socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else socket.end(answerToBytes(error, claimed));
  });
  return Object.assign(server, { trap });
}

/** Lets running answers finish for up to `graceMs`; whatever takes longer is cut. */
export async function drain(server: DecoyServer, graceMs: number): Promise<void> {
  server.trap.endStreams();
  const cut = setTimeout(() => server.closeAllConnections(), graceMs);
  await new Promise((resolve) => {
    server.close(resolve);
    server.closeIdleConnections();
  });
  clearTimeout(cut);
  await server.trap.close();
}

function lineOf({ method, url, httpVersion }: IncomingMessage): string {
  return `${method} ${url} HTTP/${httpVersion}\r\n`;
}

/** What the claimed server refuses before it looks at the path (RFC 9112, section 3.2). */
function faultOf(
  { httpVersion, rawHeaders, url = '' }: IncomingMessage,
  { overlooks }: ClaimedServer,
): Fault | undefined {
  const host = headerValue(rawHeaders, 'host');
  const coding = headerValue(rawHeaders, 'transfer-encoding');
  let fault: Fault | undefined;
  if (httpVersion === '0.9') fault = 'no-version';
  else if (httpVersion > '1.1') fault = 'version';
  else if (coding !== undefined && coding.toLowerCase() !== 'chunked') fault = 'coding';
  else if (host === undefined) fault = httpVersion === '1.1' ? 'no-host' : undefined;
  else if (hasTwoHosts(rawHeaders)) fault = 'two-hosts';
  else if (BAD_HOST.test(host)) fault = 'bad-host';
  if (fault === undefined && url.includes('%') && isBadPath(url)) fault = 'bad-path';
  return fault !== undefined && overlooks.has(fault) ? undefined : fault;
}

function hasTwoHosts(rawHeaders: readonly string[]): boolean {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at]!.length === 4 && rawHeaders[at]!.toLowerCase() === 'host') count++;
  }
  return count > 1;
}

function isBadPath(url: string): boolean {
  const mark = url.indexOf('?');
  return /%(?![0-9a-f]{2})/i.test(mark < 0 ? url : url.slice(0, mark));
}

function rootOf({ method, url }: IncomingMessage, claimed: ClaimedServer): Page | undefined {
  if (url === '*' && method === 'OPTIONS') return claimed.asterisk;
  return url === '/' && (method === 'GET' || method === 'HEAD') ? claimed.root : undefined;
}

interface ClientError extends Error {
  readonly code?: string;
  readonly rawPacket?: Buffer;
}

/** The answer to bytes that Node takes for no request. */
function answerToBytes({ code, rawPacket }: ClientError, claimed: ClaimedServer): string {
  const raw = rawPacket?.toString('latin1', 0, 4_096) ?? '';
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return claimed.refusal('timeout', '');
    case 'HPE_HEADER_OVERFLOW':
      return claimed.refusal('too-large', '');
    case 'HPE_INVALID_VERSION':
      return claimed.refusal('version', raw);
    case 'HPE_INVALID_TRANSFER_ENCODING':
      return claimed.refusal('coding', raw);
    case 'HPE_INVALID_HEADER_TOKEN':
      return claimed.refusal(/\n[^:\n]*[ \t][^:\n]*:/.test(raw) ? 'header-name' : 'malformed', raw);
    case 'HPE_INVALID_METHOD': {
      const method = UNKNOWN_METHOD.exec(raw)?.[1];
      if (method === undefined) return claimed.refusal('malformed', raw);
      if (!UPPER.test(method) && claimed !== KNOWN_SERVERS.go && claimed !== KNOWN_SERVERS.ollama) {
        return claimed.refusal('bad-method', raw);
      }
      return missBytes(claimed);
    }
    default:
      return claimed.refusal('malformed', raw);
  }
}

function missBytes(claimed: ClaimedServer): string {
  const { status, headers, body } = claimed.notFound;
  const line = `HTTP/1.1 ${status} ${STATUS_CODES[status]}`;
  return headOf(line, claimed.layout(headers, body.length, 'closed')) + body;
}
