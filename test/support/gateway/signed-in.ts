/**
 * A gateway with its users signed in. A call gives the answer and its audit line together, so
 * a test can say what the model saw and what the operator saw in one breath.
 */

import { PASSWORD, PASSWORD_HASH } from '../oauth/password.ts';
import {
  callTool,
  type GatewayProcess,
  type LogLine,
  linesOf,
  signIn,
  startGateway,
  type ToolOutcome,
} from './gateway.ts';

export { PASSWORD, PASSWORD_HASH };

export interface Answer extends ToolOutcome {
  /** The line that the gateway wrote about this call. */
  readonly audit: LogLine;
}

export interface SignedIn {
  readonly gateway: GatewayProcess;
  token(user: string): string;
  clientId(user: string): string;
  /** Calls `http_request`. Calls of one gateway must not overlap: audit lines are told by order. */
  request(user: string, args: unknown): Promise<Answer>;
  /** The audit lines so far. */
  audits(): LogLine[];
  /** The audit line of that number, once it is written. */
  audit(index: number): Promise<LogLine>;
}

/** The configuration is an object (JSON is YAML); every user's password is `PASSWORD`. */
export async function startSignedIn(
  config: { server?: object; users: { name: string; [key: string]: unknown }[] },
  env: Record<string, string> = {},
): Promise<SignedIn> {
  const users = config.users.map((user) => ({ password: PASSWORD_HASH, ...user }));
  const gateway = await startGateway({ config: JSON.stringify({ ...config, users }), env });
  const tokens = new Map<string, { accessToken: string; clientId: string }>();
  for (const { name } of users) tokens.set(name, await signIn(gateway.url, name, PASSWORD));

  const audits = () => gateway.lines().filter((line) => line.event === 'request');
  const audit = async (index: number) => {
    return (await linesOf(gateway, ['request'], index + 1))[index]!;
  };
  return {
    gateway,
    token: (user) => tokens.get(user)!.accessToken,
    clientId: (user) => tokens.get(user)!.clientId,
    audits,
    audit,
    request: async (user, args) => {
      const before = audits().length;
      const outcome = await callTool(
        gateway.url,
        tokens.get(user)!.accessToken,
        'http_request',
        args,
      );
      return { ...outcome, audit: await audit(before) };
    },
  };
}
