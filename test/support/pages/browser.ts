/**
 * The browser for tests of pages: Chromium's headless shell from the development dependencies,
 * which takes a third of the CPU time of a whole Chromium. `npm run test:long` repeats the tests in
 * Debian's Chromium where it is installed. It contacts nobody on its own account, and it resolves
 * no name but those a test maps to a separate server on loopback. The arguments that the bundled
 * one suggests are left out: they switch off what our pages rely on.
 */
import { existsSync } from 'node:fs';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
} from 'playwright-core';
import { PATIENCE_MS } from '../programs/patience.ts';
import { isLongRun } from '../property-runs.ts';

const INSTALLED = '/usr/bin/chromium';
const QUIET = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];

/** `hosts` maps names to `127.0.0.1:port`, also behind redirects, which no route handler sees. */
export async function launchBrowser(
  hosts: Readonly<Record<string, string>> = {},
): Promise<Browser> {
  const args = [...QUIET, `--host-resolver-rules=${resolverRules(hosts)}`];
  const useInstalled = isLongRun && existsSync(INSTALLED);
  return launch(useInstalled ? INSTALLED : await unpackedBrowser(), args);
}

/** Unpacks it into the temporary folder where it is not yet there. */
export async function unpackedBrowser(): Promise<string> {
  const { default: bundled } = await import('@sparticuz/chromium');
  return bundled.executablePath();
}

function launch(executablePath: string, args: string[]): Promise<Browser> {
  return chromium.launch({ executablePath, args, timeout: PATIENCE_MS });
}

export async function newContext(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<BrowserContext> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(PATIENCE_MS);
  return context;
}

function resolverRules(hosts: Readonly<Record<string, string>>): string {
  const mapped = Object.entries(hosts).map(([name, address]) => `MAP ${name} ${address}`);
  return [...mapped, 'MAP * ~NOTFOUND', 'EXCLUDE 127.0.0.1'].join(', ');
}
