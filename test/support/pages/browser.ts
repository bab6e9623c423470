/**
 * The browser for tests of pages: Debian's Chromium where it is installed, else the one that
 * comes with the development dependencies. It contacts nobody on its own account, and it
 * resolves no name but those a test maps to a separate server on loopback. The arguments that
 * the bundled one suggests are left out: they switch off what our pages rely on.
 */
import { existsSync } from 'node:fs';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
} from 'playwright-core';
import { PATIENCE_MS } from '../programs/patience.ts';

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
  if (existsSync(INSTALLED)) return launch(INSTALLED, args);
  const { default: bundled } = await import('@sparticuz/chromium');
  return launch(await bundled.executablePath(), args);
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
