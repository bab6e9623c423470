/** URLs of only scheme, host and port: public URLs and origins. */

import { quoteUrl } from '../config/problems.ts';
import { isLoopbackName } from '../net/loopback-name.ts';

export function publicUrlOf(text: string): string | undefined {
  return httpUrl(text)?.origin;
}

/** What is wrong with a public URL that works; undefined where nothing is. */
export function publicUrlWarning(url: string): string | undefined {
  const { protocol, hostname } = new URL(url);
  if (protocol === 'https:' || isLoopbackName(hostname)) return undefined;
  return `${quoteUrl(url)} is not encrypted: passwords, tokens and everything else can be read on the way; put a proxy with TLS before this server and write https://`;
}

export const PUBLIC_URL_FORM =
  'an absolute http or https URL without path, query and user info, such as';

/** As browsers send it: the case of http origins is folded, private schemes have no other form. */
export function originOf(text: string): string | undefined {
  const origin = text.replace(/\/$/, '');
  if (!/^https?:/i.test(origin)) return PRIVATE_ORIGIN.test(origin) ? origin : undefined;
  const url = httpUrl(origin);
  return url?.origin === origin.toLowerCase() ? url.origin : undefined;
}

const PRIVATE_ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^\s/\\?#@:*,"'[\]]+(?::\d{1,5})?$/i;

export const ORIGIN_FORM =
  'an origin such as "https://app.example.com" or "vscode-webview://id", without path and default port';

function httpUrl(text: string): URL | undefined {
  return /^https?:\/\/[^/\\@?#\s]+\/?$/i.test(text) && URL.canParse(text)
    ? new URL(text)
    : undefined;
}
