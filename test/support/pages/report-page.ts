/** The page of a report as the file it is, opened offline in a real browser. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { launchBrowser, newContext } from './browser.ts';
import {
  axeFaults,
  LOOKS,
  lookAt,
  nameOf,
  overflow,
  type WatchedPage,
  watchedPage,
} from './page-watch.ts';

/** The rows of a table are made alike, and axe takes seconds over the hundreds that follow. */
const LEAVE_FIRST_ROWS =
  'for (const row of document.querySelectorAll("tbody tr:nth-child(n + 51)")) row.remove()';

export interface ReportPage {
  readonly text: string;
  /** The page under watch, for as long as the report is open. */
  open(options?: BrowserContextOptions): Promise<WatchedPage>;
  /** Any request, any complaint and any error fails the test. */
  withPage(work: (page: Page) => Promise<void>, options?: BrowserContextOptions): Promise<void>;
  close(): Promise<void>;
}

/** `make` gives the page that a command makes of the log in this file. */
export async function openReport(
  log: string,
  make: (file: string) => Promise<string>,
): Promise<ReportPage> {
  const directory = mkdtempSync(join(tmpdir(), 'report-page-'));
  const file = join(directory, 'log.jsonl');
  writeFileSync(file, log);
  const text = await make(file);
  const page = join(directory, 'report.html');
  writeFileSync(page, text);
  const { href } = pathToFileURL(page);
  const browser = await launchBrowser();
  const contextOf = (options: BrowserContextOptions) =>
    newContext(browser, { viewport: { width: 1_200, height: 800 }, offline: true, ...options });
  const openIn = async (context: BrowserContext) => {
    const watched = await watchedPage(context, (url) => url.href === href);
    await watched.page.goto(href);
    return watched;
  };
  return {
    text,
    open: async (options = {}) => openIn(await contextOf(options)),
    withPage: async (work, options = {}) => {
      const context = await contextOf(options);
      try {
        const { page: shown, faults } = await openIn(context);
        await work(shown);
        assert.deepEqual(faults(), []);
      } finally {
        await context.close();
      }
    },
    close: async () => {
      await browser.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** In every look nothing overflows, and axe finds nothing. */
export function testLooks(report: () => ReportPage): void {
  // Loaded once each and then looked at in every way: only styles know how a page is looked at.
  let plain: Promise<WatchedPage> | undefined;
  let forAxe: Promise<WatchedPage> | undefined;
  for (const look of LOOKS) {
    test(`${nameOf(look)}: nothing overflows`, async () => {
      plain ??= report().open();
      const { page, faults } = await plain;
      await lookAt(page, look);
      assert.ok((await overflow(page)) <= 0);
      assert.deepEqual(faults(), []);
    });
  }
  // Axe takes long, and what it finds does not depend on how width and scheme are combined.
  for (const look of [LOOKS[0]!, LOOKS[3]!]) {
    test(`${nameOf(look)}: axe finds nothing`, async () => {
      forAxe ??= report().open({ bypassCSP: true });
      const { page, faults } = await forAxe;
      await lookAt(page, look);
      await page.evaluate(LEAVE_FIRST_ROWS);
      assert.deepEqual(await axeFaults(page), []);
      assert.deepEqual(faults(), []);
    });
  }
}
