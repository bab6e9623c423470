/** A gateway whose HTTP door is open for one user, and requests through it as bytes on a socket. */
import { createHash } from 'node:crypto';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { PASSWORD_HASH } from '../oauth/password.ts';
import { type GatewayProcess, type LogLine, linesOf, startGateway } from './gateway.ts';

export const KEY = 'gh_Xc4v8QmT2nLw7RzB1yKpD6sHfJ0aEuGt9oVi3';
export const OTHER_KEY = 'gh_another-key-of-the-same-user-000000000';
export const digestOf = (key: string) => `sha256:${createHash('sha256').update(key).digest('hex')}`;

export interface DoorAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface DoorGateway {
  readonly gateway: GatewayProcess;
  /** `path` is what follows `/via/`. */
  send(path: string, options?: DoorRequest): Promise<DoorAnswer>;
  /** The audit line of the last request, if all came by `send`. */
  audit(): Promise<LogLine>;
}

export interface DoorRequest {
  readonly method?: string;
  readonly headers?: Record<string, string | string[]>;
  readonly body?: string | Uint8Array;
  /** Without it the key is sent as a bearer token. */
  readonly key?: false;
}

export interface DoorUser {
  readonly secrets?: Readonly<Record<string, string>>;
  readonly targets: readonly object[];
  readonly keys?: readonly object[];
}

export function doorConfig(user: DoorUser, server: object = {}): string {
  const keys = [{ name: 'laptop', key: digestOf(KEY) }];
  return JSON.stringify({
    server: { allow_networks: ['127.0.0.0/8'], ...server },
    users: [{ name: 'ann', password: PASSWORD_HASH, keys, ...user }],
  });
}

export async function startDoor(user: DoorUser, server: object = {}): Promise<DoorGateway> {
  const gateway = await startGateway({
    config: doorConfig(user, server),
    env: { GATEWAY_LOG_LEVEL: 'debug' },
  });
  let sent = 0;
  return {
    gateway,
    audit: async () => (await linesOf(gateway, ['request'], sent))[sent - 1]!,
    send: async (path, { method = 'GET', headers = {}, body, key } = {}) => {
      sent += 1;
      const request = httpRequest(`${gateway.url}/`, {
        method,
        path: `/via/${path}`,
        headers: { ...(key === false ? {} : { authorization: `Bearer ${KEY}` }), ...headers },
        agent: false,
      });
      request.end(body);
      const response = await new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
        request.once('response', resolve).once('error', reject);
      });
      return {
        status: response.statusCode!,
        headers: response.headers,
        body: await text(response),
      };
    },
  };
}
