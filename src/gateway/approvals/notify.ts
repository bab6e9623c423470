/**
 * Notifies the operator's chat or phone that a request waits for approval.
 *
 * Prevents SSRF like a token request (see `guarded-fetch.ts`), disclosure, and forged messages: a
 * message has the target, the method, host and path and the link, never the query, the body or a
 * secret; text of the model is formatted as code, in which nothing is a mention or a link. A call
 * never waits for it.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '../../core/log/log.ts';
import { escapeUnprintable } from '../../core/log/unprintable.ts';
import type { OwnEndpoints, Resolver } from '../../core/net/guard.ts';
import type { NotifyFormat, ServerConfig } from '../config/config.ts';
import { CredentialError } from '../credentials/credential-error.ts';
import { guardedFetch } from '../credentials/guarded-fetch.ts';

const TITLE = 'A request waits for your approval';
const MAX_QUEUED = 100;
const MAX_TEXT = 300;
const TIMEOUT_MS = 10_000;
const RETRY_AFTER_MS = [1_000, 10_000, 60_000];

interface Announced {
  readonly target: string;
  readonly method: string;
  /** The URL without its query. */
  readonly place: string;
  /** Where the person decides. */
  readonly url: string;
}
export type Announce = (about: Announced) => void;

interface NotifierOptions {
  readonly active: {
    readonly config: { readonly server: Pick<ServerConfig, 'notify' | 'allowNetworks'> };
    clean(text: string): string;
  };
  readonly resolve: Resolver;
  readonly own: OwnEndpoints;
  readonly log: Log;
  /** Shorter in tests. */
  readonly retryAfterMs?: readonly number[];
}

/** One message after the other; of too many the newest is left out. */
export function createNotifier(options: NotifierOptions): Announce {
  const { active, log } = options;
  const queue: Announced[] = [];
  let isSending = false;

  async function sendAll(): Promise<void> {
    isSending = true;
    for (let next = queue.shift(); next; next = queue.shift()) await sendOne(next);
    isSending = false;
  }

  async function sendOne(about: Announced): Promise<void> {
    const delays = options.retryAfterMs ?? RETRY_AFTER_MS;
    for (let attempt = 0; ; attempt++) {
      const code = await attemptToSend(about);
      if (code === undefined) return;
      const delayMs = delays[attempt];
      if (delayMs === undefined) {
        log.warn('notify_failed', { code, message: 'the notification was not delivered' });
        return;
      }
      await pause(delayMs, undefined, { ref: false });
    }
  }

  /** The code of what went wrong. */
  async function attemptToSend(about: Announced): Promise<string | undefined> {
    const { notify, allowNetworks } = active.config.server;
    if (!notify) return undefined;
    const { resolve, own } = options;
    const url = notify.url.reveal();
    const request = { url, method: 'POST', ...messageOf(notify.format, cleaned(about)) };
    try {
      const rules = { resolve, own, allowNetworks, timeoutMs: TIMEOUT_MS };
      const { status } = await guardedFetch(request, rules);
      return status < 300 ? undefined : `http_${status}`;
    } catch (error) {
      return error instanceof CredentialError ? error.code : 'internal_error';
    }
  }

  function cleaned({ target, method, place, url }: Announced): Announced {
    const shown = (text: string) => escapeUnprintable(active.clean(text)).slice(0, MAX_TEXT);
    return { target: shown(target), method, place: shown(place), url };
  }

  return (about) => {
    if (!active.config.server.notify || queue.length >= MAX_QUEUED) return;
    queue.push(about);
    if (!isSending) void sendAll();
  };
}

function messageOf(
  format: NotifyFormat,
  { target, method, place, url }: Announced,
): { readonly headers: Record<string, string>; readonly body: string } {
  const json = (value: object) => ({
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(value),
  });
  const code = `\`${`${method} ${place} (${target})`.replaceAll('`', "'")}\``;
  switch (format) {
    case 'ntfy': {
      const headers = { 'content-type': 'text/plain', title: TITLE, click: url, tags: 'lock' };
      return { headers, body: `${method} ${place}\n${target}` };
    }
    case 'slack': {
      const escaped = code.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`);
      const text = `${TITLE}\n${escaped}\n<${url}|Decide>`;
      return json({ text, parse: 'none', link_names: false, unfurl_links: false });
    }
    case 'discord':
      // The flag suppresses previews.
      return json({
        content: `${TITLE}\n${code}\n${url}`,
        allowed_mentions: { parse: [] },
        flags: 4,
      });
    case 'json':
      return json({
        event: 'approval_requested',
        title: TITLE,
        target,
        method,
        url: place,
        approval_url: url,
      });
  }
}
