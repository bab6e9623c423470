/**
 * The decoys, the detector and the event lines together, apart from the server they are mounted
 * in. Whatever fails in here is logged and is a 404 to the client; nothing throws.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { clientOfRequest, type IsTrustedProxy } from '../core/client-address.ts';
import { describeError, type Log } from '../core/log.ts';
import type { Answer } from './answer.ts';
import { dayOf } from './day.ts';
import type { Match } from './decoy.ts';
import { Decoys } from './decoys.ts';
import { Detector, MAX_BODY_SEARCHED, type Sighting } from './detector.ts';
import { Events } from './events.ts';
import type { Site } from './honeytoken.ts';
import { isOwnSession } from './own-session.ts';
import { type Probe, RequestProbe } from './probe.ts';
import { readBody } from './read-body.ts';

export interface TrapOptions {
  /** The honeytoken master key, at least sixteen characters. */
  readonly key: string;
  /** Earlier keys, whose tokens are still recognised. */
  readonly oldKeys?: readonly string[];
  /** Which program this is. In the gateway and in notes `/mcp` is a real route. */
  readonly site: Site;
  readonly log: Log;
  /** Whether the peer at this address may tell the client's address in `X-Forwarded-For`. */
  readonly isTrustedProxy?: IsTrustedProxy;
  readonly now?: () => number;
  /** Fewer in tests. */
  readonly eventsPerSecond?: number;
}

/** Takes the response over from the server. */
export type Claim = () => ServerResponse;

/** What is told of a client that broke off in the middle of its body, and was sent nothing. */
const CUT_OFF: Answer = { status: 499, headers: [], body: '', honeytokens: 0 };

export class Trap {
  readonly #decoys: Decoys;
  readonly #detector: Detector;
  readonly #events: Events;
  readonly #log: Log;
  readonly #site: Site;
  readonly #now: () => number;
  readonly #isTrustedProxy: IsTrustedProxy | undefined;

  constructor(options: TrapOptions) {
    const { log, site, now = Date.now, eventsPerSecond: perSecond } = options;
    this.#log = log;
    this.#site = site;
    this.#now = now;
    this.#isTrustedProxy = options.isTrustedProxy;
    this.#decoys = new Decoys(options);
    this.#detector = new Detector(this.#decoys.tokens, now);
    this.#events = new Events({ log, site, now, ...(perSecond !== undefined && { perSecond }) });
  }

  /** Looks for honeytokens in the line and the headers of a request. */
  lookAt(request: IncomingMessage): void {
    try {
      const isOwn = (sighting: Sighting) =>
        isOwnSession(sighting, this.#site, this.#probe(request));
      this.#report(this.#detector.inRequest(request, isOwn), request);
    } catch (error) {
      this.#failed(error);
    }
  }

  /** Looks for honeytokens in a body that was read anyway. */
  lookInto(body: unknown, request: IncomingMessage): void {
    try {
      this.#report(this.#detector.inBody(body), request);
    } catch (error) {
      this.#failed(error);
    }
  }

  /**
   * Answers the request if a decoy knows it, and says whether it does. The response is claimed
   * when there is an answer. A decoy that has to read the body first answers later; should it
   * fail then, `notFound` is called.
   */
  answer(request: IncomingMessage, claim: Claim, notFound: () => void): boolean {
    try {
      const probe = this.#probe(request);
      const match = this.#decoys.find(probe);
      if (match === undefined) return false;
      if (match.readsBody) {
        this.#answerWithBody(match, probe, request, claim).catch((error: unknown) => {
          this.#failed(error);
          notFound();
        });
      } else {
        this.#serve(match, probe, request, claim, '', 0);
      }
      return true;
    } catch (error) {
      this.#failed(error);
      return false;
    }
  }

  /** Tells what was left out of the events so far. */
  close(): void {
    this.#events.close();
  }

  #probe(request: IncomingMessage): Probe {
    return new RequestProbe(request, dayOf(this.#now()), this.#isTrustedProxy);
  }

  async #answerWithBody(match: Match, probe: Probe, request: IncomingMessage, claim: Claim) {
    const body = await readBody(request, MAX_BODY_SEARCHED);
    this.lookInto(body.text, request);
    if (body.isCutOff) {
      request.destroy();
      this.#hit(match, probe, request, CUT_OFF, body.bytes);
      return;
    }
    this.#serve(match, probe, request, claim, body.text, body.bytes);
  }

  #serve(
    match: Match,
    probe: Probe,
    request: IncomingMessage,
    claim: Claim,
    body: string,
    read: number,
  ): void {
    const answer = match.answer(body);
    send(answer, claim(), this.#site);
    this.#hit(match, probe, request, answer, read);
  }

  #hit(match: Match, probe: Probe, request: IncomingMessage, answer: Answer, read: number): void {
    try {
      this.#events.hit(match.tag, request, probe.client, answer, read);
    } catch (error) {
      this.#failed(error);
    }
  }

  #report(sightings: readonly Sighting[], request: IncomingMessage): void {
    if (sightings.length === 0) return;
    const client = clientOfRequest(request, this.#isTrustedProxy);
    for (const sighting of sightings) this.#events.used(sighting, request, client);
  }

  #failed(error: unknown): void {
    this.#log.error('internal_error', { message: describeError(error) });
  }
}

/** Inside another server the names of headers are written as Fastify writes its own. */
function send({ status, headers, body }: Answer, response: ServerResponse, site: Site): void {
  const bytes = Buffer.byteLength(body);
  const all = status === 304 ? [...headers] : [...headers, 'Content-Length', String(bytes)];
  const lower = (text: string, at: number) => (at % 2 === 0 ? text.toLowerCase() : text);
  response.writeHead(status, site === 'decoys' ? all : all.map(lower));
  response.end(body, bytes === body.length ? 'latin1' : 'utf8');
}
