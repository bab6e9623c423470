/** Where alerts go: a webhook, a mailbox or a syslog server. */
import { spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect, isIPv6 } from 'node:net';
import { hostname } from 'node:os';
import querystring from 'node:querystring';
import type { Environment } from '../../core/config/environment.ts';
import { resolveValue } from '../../core/config/value.ts';
import { terminalText } from '../../core/log/terminal-text.ts';
import type { Message } from './alert-queue.ts';
import { HTTP_FORMATS, type HttpFormat, httpContent, mailText, syslogLine } from './formats.ts';

const TIMEOUT_MS = 10_000;
const SYSLOG_PORTS = { 'syslog:': 514, 'syslog+tcp:': 601 } as const;
/** A part of RFC 5321 that can neither be an option nor hold a second address. */
const MAILBOX = /^[A-Za-z0-9._+][A-Za-z0-9._+-]{0,63}@[A-Za-z0-9][A-Za-z0-9.-]{0,250}$/;

const TARGET_FORM =
  'a URL: https://…, mailto:name@host, syslog://host or syslog+tcp://host; file:path reads one from a file';

/** Resolves when the message has been taken. */
export interface Target {
  /** Contains no secret. */
  readonly name: string;
  send(message: Message): Promise<void>;
}

/** The receiver will never accept this message. */
export class RefusedMessage extends Error {}

/** The receiver asks for a later retry. */
export class ComeBackLater extends Error {
  readonly afterMs: number;

  constructor(message: string, afterMs: number) {
    super(message);
    this.afterMs = afterMs;
  }
}

/** The target, or the problem as a text. The URL may be a secret and is never quoted. */
export function readTarget(
  given: string,
  format: string | undefined,
  env: Environment,
): Target | string {
  const value = resolveValue(given, { env }, false);
  if (value.kind === 'problem') return `--to ${value.message}`;
  const text = value.kind === 'plain' ? value.text.trim() : '';
  if (!URL.canParse(text)) return `--to is ${TARGET_FORM}`;
  const url = new URL(text);
  switch (url.protocol) {
    case 'http:':
    case 'https:':
      return isHttpFormat(format ?? 'json')
        ? webhook(url, (format ?? 'json') as HttpFormat)
        : '--format syslog needs --to syslog://host or syslog+tcp://host';
    case 'mailto:':
      if (format !== undefined) return '--format is for URLs of https; mail has its own';
      return MAILBOX.test(url.pathname) && url.search === ''
        ? mailbox(url.pathname, env)
        : '--to is no address such as mailto:name@example.org';
    case 'syslog:':
    case 'syslog+tcp:':
      if (format !== undefined && format !== 'syslog')
        return '--format is syslog for a URL of syslog';
      return url.hostname === '' ? `--to is ${TARGET_FORM}` : syslog(url);
    default:
      return `--to is ${TARGET_FORM}`;
  }
}

function isHttpFormat(format: string): format is HttpFormat {
  return (HTTP_FORMATS as readonly string[]).includes(format);
}

/** Name and password of the URL are sent as Basic authentication, since `fetch` refuses them. */
function webhook(url: URL, format: HttpFormat): Target {
  const { username, password } = url;
  const bare = new URL(url);
  bare.username = '';
  bare.password = '';
  // Unlike `decodeURIComponent`, it does not throw for a percent sign that escapes nothing.
  const account = `${querystring.unescape(username)}:${querystring.unescape(password)}`;
  const authorization =
    account === ':' ? {} : { Authorization: `Basic ${Buffer.from(account).toString('base64')}` };
  return {
    name: url.host,
    send: async (message) => {
      const { headers, body } = httpContent(format, message);
      const response = await fetch(bare, {
        method: 'POST',
        headers: { ...headers, ...authorization },
        body,
        // Elsewhere, a stranger would get the alert and the credentials.
        redirect: 'manual',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      }).catch((error: Error) => {
        throw new Error((error.cause as Error | undefined)?.message || error.message);
      });
      await response.body?.cancel();
      judge(response, url.host);
    },
  };
}

function judge({ ok, status, headers }: Response, host: string): void {
  if (ok) return;
  const message = `${host} answered ${status}`;
  if (status === 400 || status === 413 || status === 422) throw new RefusedMessage(message);
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  throw seconds > 0 ? new ComeBackLater(message, seconds * 1_000) : new Error(message);
}

function mailbox(to: string, env: Environment): Target {
  return {
    name: `mail to ${to}`,
    send: async (message) => {
      const path = `${env.PATH ?? ''}:/usr/sbin:/usr/lib`;
      const sendmail = spawn('sendmail', ['-i', '--', to], {
        env: { ...env, PATH: path },
        stdio: ['pipe', 'ignore', 'pipe'],
        timeout: TIMEOUT_MS * 3,
      });
      let said = '';
      sendmail.stderr.setEncoding('utf8').on('data', (text: string) => {
        said = `${said}${text}`.slice(0, 200);
      });
      // It may end before it has read everything; then its exit code says so.
      sendmail.stdin.on('error', () => {});
      sendmail.stdin.end(mailText(message, to, new Date()));
      const [code, signal] = await once(sendmail, 'close');
      if (code !== 0)
        throw new Error(
          `sendmail ended with ${code ?? signal}: ${terminalText(said.trim().replace(/\s+/g, ' '))}`,
        );
    },
  };
}

/** One datagram (RFC 5426), or a counted frame over TCP (RFC 6587), which is known to have arrived. */
function syslog({ protocol, hostname: name, port }: URL): Target {
  const host = name.replace(/^\[(.*)\]$/, '$1');
  const at = Number(port) || SYSLOG_PORTS[protocol as keyof typeof SYSLOG_PORTS];
  const send = protocol === 'syslog:' ? sendDatagram : sendFrame;
  return {
    name: `syslog at ${name}`,
    send: (message) => send(host, at, Buffer.from(syslogLine(message, hostname()))),
  };
}

async function sendDatagram(host: string, port: number, bytes: Buffer): Promise<void> {
  const socket = createSocket(isIPv6(host) ? 'udp6' : 'udp4');
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject);
      socket.send(bytes, port, host, (error) => (error ? reject(error) : resolve()));
    });
  } finally {
    socket.close();
  }
}

async function sendFrame(host: string, port: number, bytes: Buffer): Promise<void> {
  const socket = connect({ host, port });
  socket.setTimeout(TIMEOUT_MS, () =>
    socket.destroy(new Error('the syslog server does not answer')),
  );
  socket.resume();
  socket.end(Buffer.concat([Buffer.from(`${bytes.length} `), bytes]));
  await once(socket, 'close');
}
