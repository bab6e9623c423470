/**
 * The event lines: one JSON object per match and per honeytoken that somebody presented, in the
 * shape of docs/gateway.md, with the names of the Elastic Common Schema beside it. A token is named
 * by its hash alone, also where it stood in a path or an agent.
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

/** More than a process of one thread answers in a second, so that only a flood of lines is cut. */
const EVENTS_PER_SECOND = 50_000;
const REPORT_AFTER_MS = 1_000;
const MAX_PATH = 512;
const MAX_QUERY = 512;
const MAX_AGENT = 256;

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
    const { method, url = '', rawHeaders } = request;
    const mark = url.indexOf('?');
    const isBodySent = method !== 'HEAD';
    // One literal of one shape: this line is written for every hit of a flood.
    const fields = {
      tag,
      site: this.#site,
      'source.ip': client.address.text,
      'source.learnt_from': client.learntFrom,
      'http.request.method': method,
      'url.path': shown(mark < 0 ? url : url.slice(0, mark), MAX_PATH),
      'url.query': mark < 0 ? undefined : shown(url.slice(mark + 1), MAX_QUERY),
      'user_agent.original': shownAgent(rawHeaders),
      header_order: headerOrder(rawHeaders),
      'http.request.body.bytes': read || Number(headerValue(rawHeaders, 'content-length')) || 0,
      'http.response.status_code': answer.status,
      'http.response.body.bytes': isBodySent ? Buffer.byteLength(answer.body) : 0,
      honeytokens: isBodySent ? answer.honeytokens : 0,
    };
    const { facts } = answer;
    this.#log.always('info', 'decoy_hit', facts === undefined ? fields : { ...fields, ...facts });
  }

  /** Somebody presented a honeytoken. */
  used(sighting: Sighting, request: IncomingMessage, client: Client): void {
    if (!this.#admit()) return;
    const { where, hash, opened, apiKeyId } = sighting;
    const { method, url = '', rawHeaders } = request;
    const mark = url.indexOf('?');
    this.#log.always('warn', 'honeytoken_used', {
      tag: opened?.place.tag ?? 'rest-api-idor',
      site: this.#site,
      'source.ip': client.address.text,
      'source.learnt_from': client.learntFrom,
      'http.request.method': method,
      'url.path': shown(mark < 0 ? url : url.slice(0, mark), MAX_PATH),
      'url.query': mark < 0 ? undefined : shown(url.slice(mark + 1), MAX_QUERY),
      'user_agent.original': shownAgent(rawHeaders),
      header_order: headerOrder(rawHeaders),
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

  /** Tells what was left out and has not been told yet. */
  close(): void {
    clearTimeout(this.#reporting);
    this.#reporting = undefined;
    const count = this.#sampler.takeLeftOut();
    if (count > 0) this.#log.always('warn', 'events_left_out', { site: this.#site, count });
  }

  #admit(): boolean {
    if (this.#sampler.admit()) return true;
    this.#reporting ??= setTimeout(() => this.close(), REPORT_AFTER_MS).unref();
    return false;
  }
}

function shownAgent(rawHeaders: readonly string[]): string | undefined {
  const agent = headerValue(rawHeaders, 'user-agent');
  return agent === undefined ? undefined : shown(agent, MAX_AGENT);
}

/** Masked before it is cut, so that no part of a token is left at the end. */
function shown(text: string, max: number): string {
  const masked = maskTokens(text);
  return masked.length > max ? `${masked.slice(0, max)}…` : masked;
}
