/**
 * Server-sent events that tell an open page that something on it has changed. The page then asks for
 * itself again; the events carry no content.
 *
 * Bounds (CWE-770): four streams for each user, of which a browser keeps one for each visible page;
 * a stream ends with its session, which it does not prolong.
 */
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { PageCall, SignedInPages } from './browser-session.ts';

const MAX_OF_USER = 4;
const LOOK_EVERY_MS = 1_000;
/** After so many looks, asks whether the session still lasts, and sends a comment for proxies. */
const ALIVE_EVERY = 5;
const HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
  'x-content-type-options': 'nosniff',
};

interface LiveOptions {
  /** A text that changes whenever anything that the user sees changes. */
  readonly version: (call: PageCall) => string | Promise<string>;
  readonly lookEveryMs?: number;
}

export function mountLive(
  app: FastifyInstance,
  pages: SignedInPages,
  path: string,
  { version, lookEveryMs = LOOK_EVERY_MS }: LiveOptions,
): void {
  const streams = new Map<FastifyReply, string>();

  pages.get(path, async (call) => {
    const { reply, session } = call;
    const own = [...streams.values()].filter((user) => user === session.user).length;
    // 204 tells a browser not to come again.
    if (own >= MAX_OF_USER) return reply.code(204).send();
    const { raw } = reply;
    // Counted before anything is awaited, or many requests at once would pass the limit.
    streams.set(reply, session.user);
    raw.once('close', () => streams.delete(reply));
    let known = await version(call);
    if (raw.destroyed) {
      streams.delete(reply);
      return reply;
    }
    reply.hijack();
    raw.writeHead(200, HEADERS);
    raw.write('retry: 5000\n\n');
    let looks = 0;
    let timer: NodeJS.Timeout;
    const look = async () => {
      try {
        looks += 1;
        if (looks % ALIVE_EVERY === 0) {
          if (!(await pages.isAlive(call.request))) return void raw.end('event: over\ndata:\n\n');
          raw.write(':\n\n');
        }
        const now = await version(call);
        if (now !== known && !raw.writableNeedDrain) {
          known = now;
          raw.write('event: changed\ndata:\n\n');
        }
      } catch {
        // The store is unreachable for a moment; the next look tries again.
      }
      if (!raw.destroyed && !raw.writableEnded) timer = setTimeout(look, lookEveryMs).unref();
    };
    timer = setTimeout(look, lookEveryMs).unref();
    raw.once('close', () => clearTimeout(timer));
    return reply;
  });

  app.addHook('preClose', async () => {
    for (const reply of streams.keys()) reply.raw.end();
  });
}

/**
 * Asks for the page again when it has changed, and replaces the parts that differ, except for one that
 * has the focus. Only a page that is seen has a stream.
 */
export const LIVE_SCRIPT = `
let source;
let wait;
async function renew() {
  wait = undefined;
  const answer = await fetch(location.href, { headers: { 'x-live': '1' } }).catch(() => undefined);
  if (!answer) return;
  if (!answer.ok || answer.redirected) return location.reload();
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  for (const part of document.querySelectorAll('[data-live]')) {
    const next = page.getElementById(part.id);
    if (!next || next.innerHTML === part.innerHTML || part.contains(document.activeElement)) continue;
    part.replaceChildren(...document.importNode(next, true).childNodes);
  }
  document.title = page.title;
}
function follow() {
  source?.close();
  if (document.hidden) return;
  source = new EventSource('/console/events');
  source.addEventListener('changed', () => { wait ??= setTimeout(renew, 300); });
  source.addEventListener('over', () => location.reload());
}
document.addEventListener('visibilitychange', () => { if (!document.hidden) renew(); follow(); });
follow();
`;
