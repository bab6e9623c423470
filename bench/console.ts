/**
 * How soon a page of the console shows something, and what it weighs: both consoles full of long texts, in
 * Chromium over loopback.
 *
 *   npm run bench:console
 */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { callTool, startGateway } from '../test/support/gateway/gateway.ts';
import { startUpstream } from '../test/support/http/upstream.ts';
import { signIn } from '../test/support/mcp/client.ts';
import { startNotes } from '../test/support/notes/notes.ts';
import { PASSWORD, PASSWORD_HASH } from '../test/support/oauth/password.ts';
import { launchConsoleBrowser } from '../test/support/pages/console.ts';
import { cleaner } from '../test/support/programs/cleaner.ts';

const CALLS = 1_000;
const LOADS = 9;
const FIRST_PAINT = `new Promise((resolve) => {
  const heard = (list) => {
    const [paint] = list.getEntriesByName('first-contentful-paint');
    if (paint) resolve(paint.startTime);
  };
  new PerformanceObserver(heard).observe({ type: 'paint', buffered: true });
})`;
const BUILT = (name: string) => new URL(`../dist/bin/${name}.js`, import.meta.url).pathname;
const LONG = 'a-path-that-is-as-long-as-paths-are/'.repeat(8);

const end = cleaner();
const upstream = await startUpstream();
end.after(() => upstream.close());
const browser = await launchConsoleBrowser();
end.after(() => browser.close());

const targets = Array.from({ length: 10 }, (_, at) => ({
  id: `target-${at}`,
  description: 'd',
  base_url: `${upstream.url}/${at}`,
}));
const gateway = await startGateway({
  entry: BUILT('gateway'),
  config: JSON.stringify({
    server: { allow_networks: ['127.0.0.0/8'] },
    users: [{ name: 'ada', password: PASSWORD_HASH, targets }],
  }),
});
end.after(() => gateway.stop());
const { accessToken } = await signIn(gateway.url, 'ada', PASSWORD);
for (let at = 0; at < CALLS; at++) {
  const url = `${upstream.url}/${at % targets.length}/${LONG}${at}`;
  await callTool(gateway.url, accessToken, 'http_request', { url });
}
await measure('gateway', gateway.url, ['/console', '/console/calls', '/console/sign-ins']);

const words = Array.from({ length: 400 }, (_, at) => `- a line of a note, number ${at}`).join('\n');
const notes = await startNotes(end, { entry: BUILT('notes') });
for (let at = 0; at < 60; at++) {
  const created = await notes.call('note_create', { path: `${LONG}${at}.md`, content: words });
  assert.equal(created.isError, false, created.text);
}
const pages = ['', '/search?q=line', '/health', '/trash'].map((path) => `/console${path}`);
await measure('notes', notes.url, pages);
await end.clean();

async function measure(name: string, url: string, paths: readonly string[]): Promise<void> {
  await browser.withPerson(url, 'ada', async (page) => {
    for (const path of paths) {
      const paints: number[] = [];
      for (let load = 0; load < LOADS; load++) paints.push(await firstPaint(page, url + path));
      paints.sort((one, other) => one - other);
      const bytes = Buffer.byteLength(await (await page.request.get(url + path)).text());
      const [median, worst] = [paints[LOADS >> 1]!, paints.at(-1)!].map((ms) => ms.toFixed(0));
      const what = `${name} ${path}: first contentful paint, median (worst) of ${LOADS}; weight`;
      console.log(`${what}: ${median} (${worst}) ms, under 300; ${bytes} bytes, under 60000`);
    }
  });
}

async function firstPaint(page: Page, url: string): Promise<number> {
  await page.goto(url);
  return page.evaluate<number>(FIRST_PAINT);
}
