/**
 * The event lines: one JSON object per decoy hit and per presented honeytoken, with field names of
 * the Elastic Common Schema. A token appears only as its hash, also in paths and user agents.
 */
import type { IncomingMessage } from 'node:http';
import type { Client } from '../core/http/client-address.ts';
import type { Log } from '../core/log/log.ts';
import { maskTokens, type Sighting } from './detect/detector.ts';
import { headerValue } from './detect/header-value.ts';
import { headerOrder } from './header-order.ts';
import type { Answer } from './kit/answer.ts';
import { Sampler } from './sampler.ts';
import type { Site } from './tokens/honeytoken.ts';

/** More than one process can answer, so that it limits only floods of lines. */
const EVENTS_PER_SECOND = 50_000;
const REPORT_AFTER_MS = 1_000;
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
}

export class Events {
  readonly #log: Log;
  readonly #site: Site;
  readonly #sampler: Sampler;
  #reporting: NodeJS.Timeout | undefined;

  constructor({ log, site, now, perSecond = EVENTS_PER_SECOND }: EventsOptions) {
    this.#log = log;
    this.#site = site;
    this.#sampler = new Sampler(perSecond, now);
  }

  /** A decoy has answered. */
  hit(tag: string, request: IncomingMessage, client: Client, answer: Answer, read: number): void {
    if (!this.#admit()) return;
    const isBodySent = request.method !== 'HEAD';
    const length = Number(headerValue(request.rawHeaders, 'content-length'));
    this.#log.always('info', 'decoy_hit', {
      ...this.#requestFields(tag, request, client),
      'http.request.body.bytes': read || length || 0,
      'http.response.status_code': answer.status,
      'http.response.body.bytes': isBodySent ? Buffer.byteLength(answer.body) : 0,
      honeytokens: isBodySent ? answer.honeytokens : 0,
      ...answer.facts,
    });
  }

  /** A request contained a honeytoken. */
  used(sighting: Sighting, request: IncomingMessage, client: Client): void {
    if (!this.#admit()) return;
    const { where, hash, opened, apiKeyId } = sighting;
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

  /** Reports the events that were dropped and not reported yet. */
  close(): void {
    clearTimeout(this.#reporting);
    this.#reporting = undefined;
    const count = this.#sampler.takeLeftOut();
    if (count > 0) this.#log.always('warn', 'events_left_out', { site: this.#site, count });
  }

  #requestFields(tag: string, { method, url = '', rawHeaders }: IncomingMessage, client: Client) {
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

  #admit(): boolean {
    if (this.#sampler.admit()) return true;
    this.#reporting ??= setTimeout(() => this.close(), REPORT_AFTER_MS).unref();
    return false;
  }
}

/** Whether a page of another site made a browser send it; no other text than these is logged. */
function fetchSite(rawHeaders: readonly string[]): string | undefined {
  const value = headerValue(rawHeaders, 'sec-fetch-site');
  return value !== undefined && FETCH_SITES.includes(value) ? value : undefined;
}

/** Masks before it cuts, so that no part of a token is left at the end. */
function masked(text: string | undefined, max: number): string | undefined {
  if (text === undefined) return undefined;
  const safe = maskTokens(text);
  return safe.length > max ? `${safe.slice(0, max)}…` : safe;
}
