/**
 * The event lines: one JSON object per decoy hit and per presented honeytoken, with field names of
 * the Elastic Common Schema. A token appears only as its hash, also in paths and user agents.
 */
import type { IncomingMessage } from 'node:http';
import { maskedBeginning } from '../core/honeytokens/mask.ts';
import type { Client } from '../core/http/client-address.ts';
import type { Log } from '../core/log/log.ts';
import { headerValue } from './detect/header-value.ts';
import type { Sighting } from './detect/search.ts';
import type { Unchecked } from './detect/verifier.ts';
import { headerOrder } from './header-order.ts';
import { type Answer, bytesOfBody } from './kit/answer.ts';
import { Sampler } from './sampler.ts';
import { SourceLimit, sourceOfClient } from './source-limit.ts';
import { type Site, withPlace } from './tokens/honeytoken.ts';

/** Of all sources together. */
const EVENTS_PER_SECOND = 1_000;
const REPORT_AFTER_MS = 1_000;
/** Of how many sources it is counted what was left out of their lines. */
const MAX_COUNTED_SOURCES = 100;
const MAX_PATH = 512;
const MAX_QUERY = 512;
const MAX_AGENT = 256;
const FETCH_SITES = ['cross-site', 'same-site', 'same-origin', 'none'];

export interface EventsOptions {
  readonly log: Log;
  readonly site: Site;
  readonly now: () => number;
  /** Fewer in tests. */
  readonly perSecond?: number;
  readonly perSource?: number;
}

/** The line and the headers of a request, which may be over by now. */
export type Asked = Pick<IncomingMessage, 'method' | 'url' | 'rawHeaders'>;

export class Events {
  readonly #log: Log;
  readonly #site: Site;
  readonly #sampler: Sampler;
  readonly #sources: SourceLimit;
  readonly #leftOutOf = new Map<string, number>();
  #unchecked = { requests: 0, candidates: 0, repeats: 0 };
  #ofSources = 0;
  #reporting: NodeJS.Timeout | undefined;

  constructor({ log, site, now, perSecond = EVENTS_PER_SECOND, perSource }: EventsOptions) {
    this.#log = log;
    this.#site = site;
    this.#sampler = new Sampler(perSecond, now);
    this.#sources = new SourceLimit(now, perSource);
  }

  /** A decoy has answered. */
  hit(tag: string, request: Asked, client: Client, answer: Answer, read: number): void {
    if (!this.#admit(client)) return;
    const isBodySent = request.method !== 'HEAD';
    const length = Number(headerValue(request.rawHeaders, 'content-length'));
    this.#log.always('info', 'decoy_hit', {
      ...this.#requestFields(tag, request, client),
      'http.request.body.bytes': read || length || 0,
      'http.response.status_code': answer.status,
      'http.response.body.bytes': isBodySent ? bytesOfBody(answer) : 0,
      honeytokens: isBodySent ? answer.honeytokens : 0,
      ...answer.facts,
    });
  }

  /**
   * A request contained a honeytoken. A sealed one is always told, since only a thief has it; of the
   * others, which anybody can make up, a flood is limited.
   */
  used(sighting: Sighting, request: Asked, client: Client): void {
    const { where, hash, apiKeyId } = sighting;
    const opened = withPlace(sighting.opened);
    if (sighting.opened && !opened) return;
    if (opened === undefined && !this.#admit(client)) return;
    this.#log.always('warn', 'honeytoken_used', {
      ...this.#requestFields(opened?.place.tag ?? 'rest-api-idor', request, client),
      'honeytoken.hash': hash,
      'honeytoken.presented_in': where,
      'honeytoken.received_by': opened?.address,
      'honeytoken.day': opened?.day,
      'honeytoken.field': opened?.place.field ?? 'api_key',
      'honeytoken.site': opened?.site,
      'honeytoken.confidence': opened?.confidence,
      'honeytoken.api_key_id': apiKeyId,
    });
  }

  /** Something was not searched for honeytokens, or found again and not told. */
  unchecked({ requests = 0, candidates = 0, repeats = 0 }: Unchecked): void {
    this.#unchecked.requests += requests;
    this.#unchecked.candidates += candidates;
    this.#unchecked.repeats += repeats;
    this.#reportSoon();
  }

  /** Reports what was left out and not reported yet. */
  close(): void {
    clearTimeout(this.#reporting);
    this.#reporting = undefined;
    const [source, ofSource] = this.#mostLeftOut();
    const count = this.#sampler.takeLeftOut() + this.#ofSources;
    const { requests, candidates, repeats } = this.#unchecked;
    this.#ofSources = 0;
    this.#leftOutOf.clear();
    this.#unchecked = { requests: 0, candidates: 0, repeats: 0 };
    if (count + requests + candidates + repeats === 0) return;
    this.#log.always('warn', 'events_left_out', {
      site: this.#site,
      count,
      ...(source !== undefined && { 'source.ip': source, of_source: ofSource }),
      ...(repeats > 0 && { repeated_uses: repeats }),
      ...(requests > 0 && { unsearched_requests: requests }),
      ...(candidates > 0 && { unsearched_candidates: candidates }),
    });
  }

  #requestFields(tag: string, { method, url = '', rawHeaders }: Asked, client: Client) {
    const mark = url.indexOf('?');
    return {
      tag,
      site: this.#site,
      'source.ip': client.address.text,
      'source.learnt_from': client.learntFrom,
      'http.request.method': method,
      'url.path': masked(mark < 0 ? url : url.slice(0, mark), MAX_PATH),
      'url.query': mark < 0 ? undefined : masked(url.slice(mark + 1), MAX_QUERY),
      'user_agent.original': masked(headerValue(rawHeaders, 'user-agent'), MAX_AGENT),
      header_order: headerOrder(rawHeaders),
      sec_fetch_site: fetchSite(rawHeaders),
    };
  }

  #admit(client: Client): boolean {
    const source = sourceOfClient(client);
    if (!this.#sources.take(source)) {
      const count = this.#leftOutOf.get(source) ?? 0;
      const isCounted = count > 0 || this.#leftOutOf.size < MAX_COUNTED_SOURCES;
      if (isCounted) this.#leftOutOf.set(source, count + 1);
      this.#ofSources++;
    } else if (this.#sampler.admit()) {
      return true;
    }
    this.#reportSoon();
    return false;
  }

  #reportSoon(): void {
    this.#reporting ??= setTimeout(() => this.close(), REPORT_AFTER_MS).unref();
  }

  #mostLeftOut(): [source: string | undefined, count: number] {
    let most: [string | undefined, number] = [undefined, 0];
    for (const entry of this.#leftOutOf) if (entry[1] > most[1]) most = entry;
    return most;
  }
}

/** Whether a page of another site made a browser send it; no other text than these is logged. */
function fetchSite(rawHeaders: readonly string[]): string | undefined {
  const value = headerValue(rawHeaders, 'sec-fetch-site');
  return value !== undefined && FETCH_SITES.includes(value) ? value : undefined;
}

function masked(text: string | undefined, max: number): string | undefined {
  return text === undefined ? undefined : maskedBeginning(text, max);
}
