/** A real listening server with the pages of signed-in people, and a browser's worth of cookies. */
import type { KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { mountBrowserSession, type SecondFactor } from '../../src/console/browser-session.ts';
import { mountLive } from '../../src/console/live.ts';
import { createServer } from '../../src/core/http/server.ts';
import { parseRate } from '../../src/core/limits/rate.ts';
import { createLog } from '../../src/core/log/log.ts';
import { html } from '../../src/core/pages/html.ts';
import { literalPassword } from '../../src/core/secrets/password.ts';
import { passwordMark } from '../../src/core/secrets/password-mark.ts';
import { Secret } from '../../src/core/secrets/secret.ts';
import { MemoryStore, type Store } from '../../src/core/store/store.ts';
import type { Users } from '../../src/core/users.ts';
import { freePort } from '../support/programs/free-port.ts';
import { startInProcess } from '../support/replicas/in-process.ts';
import { areReplicas, SEAL_KEY } from '../support/replicas/mode.ts';

export const PASSWORD = 'correct horse battery staple';

export interface TestConsoleOptions {
  readonly publicUrl?: string;
  readonly secondFactor?: SecondFactor;
}

export type TestConsole = Awaited<ReturnType<typeof startConsole>>;

/** `/console` shows who is signed in; `/console/act` records who posted what. */
export async function startConsole(options: TestConsoleOptions = {}) {
  const clock = { ms: Date.parse('2026-11-01T12:00:00Z') };
  const now = () => clock.ms;
  const lines: Record<string, unknown>[] = [];
  const log = createLog({ level: 'debug', write: (line) => lines.push(JSON.parse(line)) });
  const people = new TestUsers();
  const acts: string[] = [];
  const version = { text: '', known: Promise.resolve(), asked: 0 };
  const shared = areReplicas ? await startInProcess({ now }) : undefined;
  const port = shared?.port ?? (await freePort());
  const url = `http://127.0.0.1:${port}`;
  const start = async (store: Store, at: number) => {
    const app = createServer({ log, ...(shared && { isTrustedProxy: () => true }) });
    const pages = mountBrowserSession(app, {
      publicUrl: options.publicUrl ?? url,
      product: 'Gatehouse gateway',
      program: 'gateway',
      home: '/console',
      nav: [{ path: '/console', label: 'Overview' }],
      store,
      users: people,
      log,
      ...(shared && { sealKey: new Secret('seal key', SEAL_KEY) }),
      loginRateLimit: () => parseRate('10/m')!,
      secondFactor: options.secondFactor,
      now,
    });
    pages.get('/console', async (call) =>
      pages.send(call, 200, {
        title: 'Overview',
        body: html`<form method="post" action="/console/act">${pages.csrf(call.session)}
<button type="submit">Act</button></form>`,
      }),
    );
    mountLive(app, pages, '/console/events', {
      version: async () => {
        version.asked++;
        await version.known;
        return version.text;
      },
      lookEveryMs: 10,
    });
    pages.post('/console/act', async (call) => {
      acts.push(call.session.user);
      return call.reply.redirect('/console', 303);
    });
    await app.listen({ port: at, host: '127.0.0.1' });
    return { app, port: (app.server.address() as AddressInfo).port };
  };
  const stores = shared?.stores ?? [new MemoryStore({ now })];
  const replicas = await Promise.all(stores.map((store) => start(store, shared ? 0 : port)));
  await shared?.balance(replicas.map((replica) => replica.port));
  return {
    url,
    clock,
    people,
    acts,
    version,
    lines: (event: string) => lines.filter((line) => line.event === event),
    stores,
    close: async () => {
      await Promise.all(replicas.map(({ app }) => app.close()));
      await shared?.close();
    },
  };
}

/** Users whose passwords cost nothing to check. */
class TestUsers implements Users {
  readonly #people = new Map([
    ['ada', { password: PASSWORD, incarnation: 'ada-1' }],
    ['bob', { password: PASSWORD, incarnation: 'bob-1' }],
  ]);

  set(name: string, password: string, incarnation: string): void {
    this.#people.set(name, { password, incarnation });
  }

  async signIn(name: string, password: string): Promise<string | undefined> {
    const person = this.#people.get(name);
    return person?.password === password ? person.incarnation : undefined;
  }

  incarnation(name: string): string | undefined {
    return this.#people.get(name)?.incarnation;
  }

  passwordMark(name: string, key: KeyObject): string | undefined {
    const person = this.#people.get(name);
    return person && passwordMark(literalPassword(person.password), key);
  }
}

/** Keeps cookies as a browser does, follows no redirect, and says by default that it is at home. */
export class TestBrowser {
  cookies = new Map<string, string>();
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  async get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.#send(path, { headers: { 'sec-fetch-site': 'same-origin', ...headers } });
  }

  async post(
    path: string,
    fields: Record<string, string>,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const own = { 'sec-fetch-site': 'same-origin', origin: this.#url };
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    const body = new URLSearchParams(fields).toString();
    return this.#send(path, { method: 'POST', body, headers: { ...own, ...type, ...headers } });
  }

  async signIn(user = 'ada', password = PASSWORD, next = '/console'): Promise<Answer> {
    const form = await this.get(`/sign-in?next=${encodeURIComponent(next)}`);
    return this.post('/sign-in', { ...form.hidden, username: user, password });
  }

  /** Opens a stream; the answer ends with it. */
  stream(path: string): Promise<IncomingMessage> {
    return this.#open(path, { headers: { 'sec-fetch-site': 'same-origin' } });
  }

  /** Not by `fetch`, which says itself in `Sec-Fetch-Mode` what it does. */
  async #open(path: string, { method = 'GET', headers = {}, body = '' }: Sent) {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const sent = request(this.#url + path, {
      method,
      headers: { ...(cookie && { cookie }), ...headers },
    });
    sent.end(body);
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    return answer;
  }

  async #send(path: string, sent: Sent): Promise<Answer> {
    const answer = await this.#open(path, sent);
    for (const line of answer.headers['set-cookie'] ?? []) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      if (/Max-Age=0/.test(line)) this.cookies.delete(name!);
      else this.cookies.set(name!, value!);
    }
    const page = await text(answer);
    return {
      status: answer.statusCode!,
      headers: answer.headers,
      text: page,
      hidden: hiddenFields(page),
    };
  }
}

interface Sent {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The hidden fields of all its forms; of one that is repeated, the last. */
  readonly hidden: Record<string, string>;
}

function hiddenFields(page: string): Record<string, string> {
  const inputs = page.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g);
  const plain = (text: string) =>
    text.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
  return Object.fromEntries([...inputs].map(([, name, value]) => [name!, plain(value!)]));
}
