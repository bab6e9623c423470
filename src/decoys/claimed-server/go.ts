/** `net/http` of Go, as in version 1.19 of Debian 12: header names in order, then date and length. */
import { memoize } from '../../core/memoize.ts';
import { JSON_TYPE, TEXT_TYPE } from '../kit/answer.ts';
import { type ClaimedServer, type Fault, httpDate, type Page, pairsOf } from './claimed-server.ts';

const NOT_FOUND: Page = {
  status: 404,
  headers: ['Content-Type', TEXT_TYPE, 'X-Content-Type-Options', 'nosniff'],
  body: '404 page not found\n',
};
const REFUSALS: Readonly<Record<Exclude<Fault, 'expectation'>, string>> = {
  malformed: '400 Bad Request',
  'no-version': '400 Bad Request',
  'bad-path': '400 Bad Request',
  'bad-method': '400 Bad Request',
  'two-hosts': '400 Bad Request',
  'no-host': '400 Bad Request: missing required Host header',
  'bad-host': '400 Bad Request: malformed Host header',
  'header-name': '400 Bad Request: invalid header name',
  version: '505 HTTP Version Not Supported: unsupported protocol version',
  coding: '501 Not Implemented',
  'too-large': '431 Request Header Fields Too Large',
  timeout: '408 Request Timeout',
};

export const GO: ClaimedServer = {
  notFound: NOT_FOUND,
  asterisk: { status: 200, headers: ['Content-Length', '0'], body: '' },
  overlooks: new Set(),
  oldVersion: '1.0',
  layout: (headers, length, persistence) => {
    const sorted = pairsOf(headers)
      .map(([name, value]) => [canonical(name), value] as const)
      .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
    const all = [...sorted.flat(), 'Date', httpDate()];
    const isGiven = sorted.some(([name]) => name === 'Content-Length');
    if (length !== undefined && !isGiven) all.push('Content-Length', String(length));
    if (persistence === 'closed') all.push('Connection', 'close');
    if (persistence === 'kept-old') all.push('Connection', 'keep-alive');
    return all;
  },
  refusal: (fault, raw) => {
    if (fault === 'expectation') {
      return `HTTP/1.1 417 Expectation Failed\r\nConnection: close\r\nDate: ${httpDate()}\r\nContent-Length: 0\r\n\r\n`;
    }
    const isNumber = /^[^\n]* HTTP\/\d\.\d\r?\n/.test(raw);
    const line = fault === 'version' && !isNumber ? REFUSALS.malformed : REFUSALS[fault];
    const body = fault === 'coding' ? 'Unsupported transfer encoding' : line;
    return `HTTP/1.1 ${line}\r\nContent-Type: ${TEXT_TYPE}\r\nConnection: close\r\n\r\n${body}`;
  },
};

/** Ollama is a Go program: gin answers what it does not know. */
export const OLLAMA: ClaimedServer = {
  ...GO,
  notFound: { status: 404, headers: ['Content-Type', 'text/plain'], body: '404 page not found' },
  root: { status: 200, headers: ['Content-Type', TEXT_TYPE], body: 'Ollama is running' },
};

/** `X-Content-Type-Options`, however it was written. Our answers have few names. */
const canonical = memoize((name) =>
  name.toLowerCase().replace(/(?:^|-)[a-z]/g, (letter) => letter.toUpperCase()),
);

/** Uvicorn, which serves vLLM: lower case, date and server first. */
export const VLLM: ClaimedServer = {
  notFound: {
    status: 404,
    headers: ['content-type', JSON_TYPE],
    body: '{"detail":"Not Found"}',
  },
  asterisk: { status: 404, headers: ['content-type', JSON_TYPE], body: '{"detail":"Not Found"}' },
  overlooks: new Set<Fault>(['expectation', 'no-host', 'two-hosts', 'bad-host', 'bad-path']),
  oldVersion: '1.1',
  layout: (headers, length, persistence) => {
    const all = ['date', httpDate(), 'server', 'uvicorn'];
    if (length !== undefined) all.push('content-length', String(length));
    all.push(...pairsOf(headers).flatMap(([name, value]) => [name.toLowerCase(), value]));
    if (persistence.startsWith('closed')) all.push('connection', 'close');
    return all;
  },
  refusal: () =>
    `HTTP/1.1 400 Bad Request\r\ncontent-type: ${TEXT_TYPE}\r\nconnection: close\r\n\r\nInvalid HTTP request received.`,
};
