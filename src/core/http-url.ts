/** http URLs of nothing but scheme, host and port: where a program is reached, and origins. */

export function publicUrlOf(text: string): string | undefined {
  return httpUrl(text)?.origin;
}

export const PUBLIC_URL_FORM =
  'an absolute http or https URL without path, query and user info, such as';

export function originOf(text: string): string | undefined {
  const url = httpUrl(text);
  return url && url.origin === text.replace(/\/$/, '') ? url.origin : undefined;
}

export const ORIGIN_FORM = 'an origin such as "https://app.example.com"';

function httpUrl(text: string): URL | undefined {
  return /^https?:\/\/[^/\\@?#\s]+\/?$/i.test(text) && URL.canParse(text)
    ? new URL(text)
    : undefined;
}
