/**
 * A cookie that names a session: out of reach of scripts, never sent with a request that another site
 * began, and under https with `__Host-`, so that no other host of the domain can plant one. Programs
 * on one host have each their own: browsers send cookies to every port.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';

export class SessionCookie {
  readonly #name: string;
  readonly #attributes: string;

  constructor(publicUrl: string, name: string) {
    const isHttps = publicUrl.startsWith('https:');
    this.#name = `${isHttps ? '__Host-' : ''}gatehouse-${name}`;
    this.#attributes = `; Path=/; HttpOnly; SameSite=Strict${isHttps ? '; Secure' : ''}`;
  }

  /** The value, where the browser sent exactly one. */
  read({ headers }: FastifyRequest): string | undefined {
    const start = `${this.#name}=`;
    const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim());
    const values = pairs.filter((pair) => pair.startsWith(start));
    return values.length === 1 ? values[0]!.slice(start.length) : undefined;
  }

  /** Until the browser is closed: how long it lasts, the server decides. */
  set(reply: FastifyReply, value: string): void {
    reply.header('set-cookie', `${this.#name}=${value}${this.#attributes}`);
  }

  clear(reply: FastifyReply): void {
    reply.header('set-cookie', `${this.#name}=; Max-Age=0${this.#attributes}`);
  }
}
