/**
 * The browser for tests of pages: Chromium's headless shell from the development dependencies,
 * which takes a third of the CPU time of a whole Chromium. In `npm run test:long`, and on processors
 * for which there is no such shell, it is Debian's Chromium. It contacts nobody on its own account,
 * and it resolves no name but those a test maps to a separate server on loopback. The arguments
 * that the bundled one suggests are left out: they switch off what our pages rely on.
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
  return launch(useInstalled ? INSTALLED : await browserPath(), args);
}

/**
 * The headless shell, which is unpacked into the temporary folder where it is not yet there. It is
 * made for x64 alone; on other processors, the Chromium that is installed.
 */
export async function browserPath(): Promise<string> {
  if (process.arch !== 'x64') {
    if (existsSync(INSTALLED)) return INSTALLED;
    throw new Error(`the tests of pages need ${INSTALLED} on ${process.arch}: install chromium`);
  }
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
