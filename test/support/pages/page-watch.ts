/**
 * A page under watch, in light or dark, on a phone or a desktop: whatever the browser complains
 * of, every violation of the page's own policy, and every request to a stranger is a fault.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type {
  Browser,
  BrowserContext,
  BrowserContextOptions,
  Locator,
  Page,
} from 'playwright-core';
import { newContext } from './browser.ts';

export interface Look {
  readonly colorScheme: 'light' | 'dark';
  readonly viewport: { readonly width: number; readonly height: number };
}

export const LOOKS: readonly Look[] = (['light', 'dark'] as const).flatMap((colorScheme) => [
  { colorScheme, viewport: { width: 360, height: 740 } },
  { colorScheme, viewport: { width: 1_280, height: 800 } },
]);

export function nameOf({ colorScheme, viewport }: Look): string {
  return `${viewport.width} pixels wide, ${colorScheme}`;
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const REPORT_VIOLATIONS = `addEventListener('securitypolicyviolation', (event) =>
  console.error('policy: ' + event.effectiveDirective + ' ' + event.blockedURI))`;

/** What a browser remarks on that is meant: a page with an error status, and a test that types at once. */
const REMARKS = /^Failed to load resource: the server responded|^Autofocus processing was blocked/;

export interface WatchedPage {
  readonly page: Page;
  /** Those so far. */
  faults(): string[];
}

export async function watchedPage(
  context: BrowserContext,
  isOwn: (url: URL) => boolean,
): Promise<WatchedPage> {
  const faults: string[] = [];
  const page = await context.newPage();
  await page.addInitScript(REPORT_VIOLATIONS);
  page.on('console', (message) => faults.push(message.text()));
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('request', (request) => {
    if (!isOwn(new URL(request.url()))) faults.push(`stranger: ${request.url()}`);
  });
  return { page, faults: () => faults.filter((text) => !REMARKS.test(text)) };
}

/** Works on the page and gives the faults. */
export async function watch(
  browser: Browser,
  options: BrowserContextOptions,
  isOwn: (url: URL) => boolean,
  work: (page: Page) => Promise<void>,
): Promise<string[]> {
  const context = await newContext(browser, options);
  try {
    const { page, faults } = await watchedPage(context, isOwn);
    await work(page);
    return faults();
  } finally {
    await context.close();
  }
}

/** From here on the page is looked at in this way. */
export async function lookAt(page: Page, { colorScheme, viewport }: Look): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await page.setViewportSize(viewport);
}

interface AxeResults {
  readonly passes: readonly unknown[];
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
  }[];
}

/** Every rule of axe-core for WCAG A and AA, and its best practices. */
export async function axeFaults(page: Page): Promise<string[]> {
  const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22a', 'wcag22aa', 'best-practice'];
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(AXE);
  const found = (await page.evaluate(
    `axe.run({ runOnly: ${JSON.stringify(tags)}, resultTypes: ['violations'] })`,
  )) as AxeResults;
  if (found.passes.length < 10) return ['axe-core has hardly looked'];
  return found.violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.html.slice(0, 120)}: ${node.failureSummary}`),
  );
}

/** How many pixels the page is wider than its window. */
export function overflow(page: Page): Promise<number> {
  return page.evaluate('document.documentElement.scrollWidth - innerWidth');
}

/** The element that has the focus, and how that shows. */
export function focused(page: Page): Promise<string> {
  return page.evaluate(`(() => {
    const element = document.activeElement;
    const { outlineStyle, outlineWidth } = getComputedStyle(element);
    const name = element.id || element.textContent.trim().replace(/\\s+/g, ' ') || element.localName;
    return [name, outlineStyle, outlineWidth].join(' | ');
  })()`);
}

/** The section of a report below this heading. */
export function section(page: Page, title: string): Locator {
  return page.locator('section', { has: page.locator('h2', { hasText: title }) });
}

/** What the rows of its table say in one column, the first of which is 1. */
export function column(page: Page, title: string, index: number): Promise<string[]> {
  return section(page, title).locator(`tbody tr td:nth-child(${index})`).allTextContents();
}

/** Numbers as a report writes them. */
export function numbers(texts: readonly string[]): number[] {
  return texts.map((text) => Number(text.replaceAll(',', '')));
}
