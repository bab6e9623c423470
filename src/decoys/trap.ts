/**
 * Combines decoys, detector and event lines, independent of the server. A failure is logged and
 * becomes a 404; nothing throws.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { clientOfRequest, type IsTrustedProxy } from '../core/http/client-address.ts';
import { describeError, type Log } from '../core/log/log.ts';
import type { Secret } from '../core/secrets/secret.ts';
import type { ClaimedServer } from './claimed-server/claimed-server.ts';
import { Decoys, type DecoysOptions } from './decoys.ts';
import { headerValue } from './detect/header-value.ts';
import { codingOf } from './detect/inflate.ts';
import { hasBody, type ReadBody, readBody } from './detect/read-body.ts';
import {
  isPlainBody,
  isSearchedWhole,
  KnownTexts,
  type Suspicion,
  shortCredentials,
  suspicionOf,
  suspicionOfTrailers,
} from './detect/request-parts.ts';
import { MAX_BODY_SEARCHED } from './detect/search-queue.ts';
import { type Job, Verifier } from './detect/verifier.ts';
import { Events } from './events.ts';
import { mcpPaths } from './kinds/mcp-server-probe.ts';
import { type Answer, TEXT_TYPE } from './kit/answer.ts';
import type { Match } from './kit/decoy.ts';
import { type Probe, RequestProbe } from './kit/probe.ts';
import { send } from './send.ts';
import { sourceOfClient } from './source-limit.ts';
import { Streams } from './streams.ts';
import { dayOf } from './tokens/day.ts';
import type { Site } from './tokens/honeytoken.ts';
import { Turns } from './turns.ts';

export interface TrapOptions extends Pick<DecoysOptions, 'persona' | 'definitions'> {
  /** The honeytoken master key. */
  readonly key: Secret;
  /** Former keys: they read old tokens and issue none. */
  readonly oldKeys?: readonly Secret[];
  /** Which program this is. In the gateway and in notes `/mcp` is a real route. */
  readonly site: Site;
  /** What the standalone decoys claim to be. */
  readonly claimed?: ClaimedServer;
  readonly log: Log;
  /** Whether the peer at this address may tell the client's address in `X-Forwarded-For`. */
  readonly isTrustedProxy?: IsTrustedProxy;
  readonly now?: () => number;
  /** Fewer in tests. */
  readonly eventsPerSecond?: number;
  readonly eventsPerSource?: number;
  /** How many bytes may wait to be searched; less in tests. */
  readonly searchRoomBytes?: number;
}

/** The two sides of a request. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Takes the response over from the server. */
  claim(): void;
  /** Answers as the server would without decoys. */
  notFound(): void;
}

interface Found {
  readonly match: Match;
  readonly probe: Probe;
}

const NO_BODY = Buffer.alloc(0);
/** As the transport of 2024-11-05 answers what it sends into its stream. */
const DELIVERED: Answer = {
  status: 202,
  headers: ['Content-Type', TEXT_TYPE],
  body: 'Accepted',
  honeytokens: 0,
};
/** With every character escaped, no path of the MCP decoy is longer. To decode a long one takes 10 µs. */
const MAX_MCP_PATH = 64;

/** Logged for a client that disconnected before the end of its body. */
const CUT_OFF: Answer = { status: 499, headers: [], body: '', honeytokens: 0 };

export class Trap {
  readonly #decoys: Decoys;
  readonly #known = new KnownTexts();
  readonly #verifier: Verifier;
  readonly #turns = new Turns();
  readonly #streams = new Streams();
  readonly #events: Events;
  readonly #log: Log;
  readonly #site: Site;
  readonly #claimed: ClaimedServer | undefined;
  readonly #now: () => number;
  readonly #isTrustedProxy: IsTrustedProxy | undefined;

  constructor(options: TrapOptions) {
    const { log, site, now = Date.now } = options;
    const { eventsPerSecond: perSecond, eventsPerSource: perSource } = options;
    this.#log = log;
    this.#site = site;
    this.#claimed = options.claimed;
    this.#now = now;
    this.#isTrustedProxy = options.isTrustedProxy;
    this.#decoys = new Decoys(options);
    this.#events = new Events({
      ...{ log, site, now },
      ...(perSecond !== undefined && { perSecond }),
      ...(perSource !== undefined && { perSource }),
    });
    this.#verifier = new Verifier({
      keys: this.#decoys.tokens.keys,
      ...{ site, now },
      onUnchecked: (unchecked) => this.#events.unchecked(unchecked),
      onError: (error) => this.#failed(error),
      ...(options.searchRoomBytes !== undefined && { roomBytes: options.searchRoomBytes }),
    });
  }

  /** Looks for honeytokens in the line and the headers of a request. */
  lookAt(request: IncomingMessage): void {
    try {
      const suspicion = suspicionOf(request, this.#known);
      const credentials = () => shortCredentials(request);
      if (suspicion) this.#search(request, suspicion, { credentials });
      if (!isSearchedWhole(request)) this.#events.unchecked({ requests: 1 });
    } catch (error) {
      this.#failed(error);
    }
  }

  /** Looks for honeytokens in a body that was read anyway, and behind it. */
  lookInto(body: Uint8Array, request: IncomingMessage): void {
    try {
      const coding = codingOf(headerValue(request.rawHeaders, 'content-encoding'), body);
      const suspicion = suspicionOfTrailers(request.rawTrailers, this.#known);
      const isPlain = coding === undefined && isPlainBody(body, this.#known);
      if (suspicion || !isPlain) {
        this.#search(
          request,
          suspicion ?? { texts: [], suspect: '' },
          isPlain ? {} : { body, coding },
        );
      }
    } catch (error) {
      this.#failed(error);
    }
  }

  /**
   * Answers with the decoy that matches, or as not found, and searches the body for honeytokens. A
   * response does not wait for a body it does not need, unless it closes the connection: the rest of
   * the body would not be searched.
   */
  answer(exchange: Exchange): void {
    const { request, response } = exchange;
    this.#turns.take(request.socket, response, () => this.#answerInTurn(exchange));
  }

  #answerInTurn(exchange: Exchange): void {
    const { request, response } = exchange;
    const found = this.#find(request);
    const comesBody = hasBody(request);
    if (found?.match.readsBody || (comesBody && !response.shouldKeepAlive)) {
      this.#readAndAnswer(exchange, found).catch((error: unknown) =>
        this.#breakOff(response, error),
      );
    } else {
      this.#answerNow(exchange, found, NO_BODY, 0);
      if (comesBody) this.#read(request);
    }
  }

  /** Resolves when everything that came so far was searched. */
  searched(): Promise<void> {
    return this.#verifier.idle();
  }

  /** What came so far is searched first; then what was left out is told. */
  async close(): Promise<void> {
    await this.#verifier.close();
    this.#events.close();
  }

  #probe(request: IncomingMessage): Probe {
    return new RequestProbe(request, dayOf(this.#now()), this.#isTrustedProxy);
  }

  #find(request: IncomingMessage): Found | undefined {
    try {
      const probe = this.#probe(request);
      const match = this.#decoys.find(probe);
      return match && { match, probe };
    } catch (error) {
      this.#failed(error);
      return undefined;
    }
  }

  async #readAndAnswer(exchange: Exchange, found: Found | undefined): Promise<void> {
    const { request } = exchange;
    const { bytes, length, isCutOff } = await this.#read(request, found?.match.maxBodyBytes);
    if (isCutOff && found) {
      request.destroy();
      this.#hit(found, request, CUT_OFF, length);
      return;
    }
    this.#answerNow(exchange, found, bytes, length);
  }

  async #read(request: IncomingMessage, limit = MAX_BODY_SEARCHED): Promise<ReadBody> {
    const body = await readBody(request, limit);
    this.lookInto(body.bytes.subarray(0, MAX_BODY_SEARCHED), request);
    return body;
  }

  #answerNow(exchange: Exchange, found: Found | undefined, body: Buffer, read: number): void {
    const made = found && this.#make(found.match, body);
    const isDelivered = made?.delivery && this.#streams.deliver(made.delivery);
    const answer = isDelivered ? { ...DELIVERED, ...(made.facts && { facts: made.facts }) } : made;
    if (!answer || !found) {
      exchange.notFound();
      return;
    }
    exchange.claim();
    try {
      const source = answer.stream && sourceOfClient(found.probe.client);
      if (source) this.#streams.start(answer, exchange.response, source, this.#claimed);
      else send(answer, exchange.response, this.#claimed);
    } catch (error) {
      this.#breakOff(exchange.response, error);
      return;
    }
    this.#hit(found, exchange.request, answer, read);
  }

  /** Ends the answers that stay open. */
  endStreams(): void {
    this.#streams.close();
  }

  /** A claimed response has no other handler. */
  #breakOff(response: ServerResponse, error: unknown): void {
    this.#failed(error);
    response.destroy();
  }

  #make(match: Match, body: Buffer): Answer | undefined {
    try {
      return match.answer(body.toString('utf8'));
    } catch (error) {
      this.#failed(error);
      return undefined;
    }
  }

  #hit({ match, probe }: Found, request: IncomingMessage, answer: Answer, read: number): void {
    try {
      this.#events.hit(match.tag, request, probe.client, answer, read);
    } catch (error) {
      this.#failed(error);
    }
  }

  #search(
    request: IncomingMessage,
    { texts, suspect }: Suspicion,
    more: Pick<Job, 'body' | 'coding' | 'credentials'>,
  ): void {
    // Known only while the connection is open.
    const client = clientOfRequest(request, this.#isTrustedProxy);
    const { method, url, rawHeaders } = request;
    const isForMcp = isShortPath(url) && mcpPaths(this.#site).includes(this.#probe(request).path);
    this.#verifier.submit({
      ...more,
      texts,
      source: sourceOfClient(client),
      ...(isForMcp && { mcpClient: client.address.text }),
      onFound: (sightings) => {
        for (const sighting of sightings) {
          this.#events.used(sighting, { method, url, rawHeaders }, client);
        }
      },
      onClean: () => {
        this.#known.add(suspect);
        if (more.body) this.#known.addBody(more.body);
      },
    });
  }

  #failed(error: unknown): void {
    this.#log.error('internal_error', { message: describeError(error) });
  }
}

function isShortPath(url = ''): boolean {
  return url.split('?', 1)[0]!.length <= MAX_MCP_PATH;
}
