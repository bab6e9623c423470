/** The page of a report as the file it is, opened offline in a real browser. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { launchBrowser } from './browser.ts';
import { watch } from './page-watch.ts';

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
