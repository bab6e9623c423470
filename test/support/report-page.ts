/** The page of a report as the file it is, opened offline in a real browser. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { launchBrowser } from './browser.ts';
import { axeFaults, LOOKS, nameOf, overflow, watch } from './page-watch.ts';

export interface ReportPage {
  readonly text: string;
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
  return {
    text,
    withPage: async (work, options = {}) => {
      const context = { viewport: { width: 1_200, height: 800 }, offline: true, ...options };
      const faults = await watch(
        browser,
        context,
        (url) => url.href === href,
        async (shown) => {
          await shown.goto(href);
          await work(shown);
        },
      );
      assert.deepEqual(faults, []);
    },
    close: async () => {
      await browser.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** In every look nothing overflows, and axe finds nothing. */
export function testLooks(report: () => ReportPage): void {
  for (const look of LOOKS) {
    test(`${nameOf(look)}: nothing overflows`, async () => {
      await report().withPage(async (page) => assert.ok((await overflow(page)) <= 0), look);
    });
  }
  // Axe takes long, and what it finds does not depend on how width and scheme are combined.
  for (const look of [LOOKS[0]!, LOOKS[3]!]) {
    test(`${nameOf(look)}: axe finds nothing`, async () => {
      await report().withPage(async (page) => assert.deepEqual(await axeFaults(page), []), {
        ...look,
        bypassCSP: true,
      });
    });
  }
}
