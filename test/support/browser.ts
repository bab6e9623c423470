/**
 * The browser for tests of pages: Debian's Chromium where it is installed, else the one that
 * comes with the development dependencies. It contacts nobody on its own account.
 */
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const INSTALLED = '/usr/bin/chromium';
const QUIET = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];

export async function launchBrowser(): Promise<Browser> {
  if (existsSync(INSTALLED)) return chromium.launch({ executablePath: INSTALLED, args: QUIET });
  const { default: bundled } = await import('@sparticuz/chromium');
  return chromium.launch({
    executablePath: await bundled.executablePath(),
    args: [...bundled.args, ...QUIET],
  });
}
