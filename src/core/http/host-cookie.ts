/**
 * A cookie of this server alone: out of reach of scripts, never sent with a request that another site
 * began, and under https with `__Host-`, so that no other host of the domain can plant one. Browsers
 * send cookies to every port of a host, so the programs on one host have different names.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';

export class HostCookie {
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

  /** Without an age, the browser keeps it until it is closed. */
  set(reply: FastifyReply, value: string, maxAgeS?: number): void {
    const age = maxAgeS === undefined ? '' : `; Max-Age=${maxAgeS}`;
    reply.header('set-cookie', `${this.#name}=${value}${age}${this.#attributes}`);
  }

  clear(reply: FastifyReply): void {
    this.set(reply, '', 0);
  }
}
