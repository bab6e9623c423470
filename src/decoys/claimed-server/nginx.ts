/** nginx 1.22 of Debian 12 with its settings as they come. */
import {
  type ClaimedServer,
  type Fault,
  headOf,
  httpDate,
  type Page,
  type Persistence,
  pairsOf,
} from './claimed-server.ts';

const SOFTWARE = 'nginx/1.22.1';
const REFUSALS: Readonly<Partial<Record<Fault, string>>> = {
  version: '505 HTTP Version Not Supported',
  coding: '501 Not Implemented',
  timeout: '408 Request Time-out',
};
/** Between type and connection, and behind it. */
const FILE_DATE = 'last-modified';
const HIDDEN = ['server', 'date', 'content-type', 'content-length', FILE_DATE, 'connection'];

export const NGINX: ClaimedServer = {
  notFound: page('404 Not Found'),
  asterisk: page('400 Bad Request'),
  overlooks: new Set<Fault>(['expectation']),
  oldVersion: '1.1',
  layout,
  refusal: (fault) => {
    // In HTTP/0.9 there are no headers.
    if (fault === 'no-version') return page('404 Not Found').body;
    const large = ['Request Header Or Cookie Too Large'];
    const { status, headers, body } = page(
      REFUSALS[fault] ?? '400 Bad Request',
      fault === 'too-large' ? large : [],
    );
    const line = `HTTP/1.1 ${REFUSALS[fault] ?? `${status} Bad Request`}`;
    return headOf(line, layout(headers, body.length, 'closed')) + body;
  },
};

function layout(
  headers: readonly string[],
  length: number | undefined,
  persistence: Persistence,
): string[] {
  const pairs = pairsOf(headers);
  const find = (wanted: string) => pairs.find(([name]) => name.toLowerCase() === wanted)?.[1];
  const all = ['Server', SOFTWARE, 'Date', httpDate()];
  const type = find('content-type');
  if (type !== undefined) all.push('Content-Type', type);
  if (length !== undefined) all.push('Content-Length', String(length));
  const changed = find(FILE_DATE);
  if (changed !== undefined) all.push('Last-Modified', changed);
  all.push('Connection', persistence.startsWith('kept') ? 'keep-alive' : 'close');
  for (const [name, value] of pairs) {
    if (!HIDDEN.includes(name.toLowerCase())) all.push(name, value);
  }
  return all;
}

function page(line: string, more: readonly string[] = []): Page {
  const title = more.length > 0 ? `${line.slice(0, 4)}${more[0]}` : line;
  const body = [
    '<html>',
    `<head><title>${title}</title></head>`,
    '<body>',
    `<center><h1>${line}</h1></center>`,
    ...more.map((text) => `<center>${text}</center>`),
    `<hr><center>${SOFTWARE}</center>`,
    '</body>',
    '</html>',
    '',
  ].join('\r\n');
  return { status: Number(line.slice(0, 3)), headers: ['Content-Type', 'text/html'], body };
}
