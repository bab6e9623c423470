/** The gateway with a configuration file, spoken to over HTTP. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { entryOf } from '../programs/entry.ts';
import { freePort } from '../programs/free-port.ts';
import {
  type Ended,
  type ProgramProcess,
  type RunOptions,
  runProgram,
  startProgram,
} from '../programs/program.ts';
import { startReplicas } from '../replicas/gateway-replicas.ts';
import { areReplicas } from '../replicas/mode.ts';

export { callTool, openStream, signIn, submitLogin, type ToolOutcome } from '../mcp/client.ts';
export { type LogLine, linesOf, parseLines } from '../programs/program.ts';

export const ENTRY = entryOf('gateway');

export interface GatewayProcess extends ProgramProcess {
  readonly url: string;
  readonly port: number;
  readonly configPath: string;
  writeConfig(config: string): void;
}

export interface GatewayOptions {
  /** The configuration; `PORT` in it is replaced by the gateway's port. */
  readonly config: string;
  readonly env?: Record<string, string>;
  /** What to run instead of the gateway's own entry point. */
  readonly entry?: string;
}

export async function startGateway(options: GatewayOptions): Promise<GatewayProcess> {
  if (areReplicas) return startReplicas(options);
  const port = await freePort();
  const directory = mkdtempSync(join(tmpdir(), 'gateway-test-'));
  const configPath = join(directory, 'config.yaml');
  const withPort = (config: string) => config.replaceAll('PORT', String(port));
  writeFileSync(configPath, withPort(options.config));
  const url = `http://127.0.0.1:${port}`;
  const program = await startProgram({
    entry: options.entry ?? ENTRY,
    env: {
      GATEWAY_CONFIG: configPath,
      GATEWAY_LISTEN: `127.0.0.1:${port}`,
      GATEWAY_PUBLIC_URL: url,
      ...options.env,
    },
  });
  return {
    ...program,
    url,
    port,
    configPath,
    writeConfig: (config) => writeFileSync(configPath, withPort(config)),
    stop: async () => {
      const code = await program.stop();
      rmSync(directory, { recursive: true, force: true });
      return code;
    },
  };
}

/** Runs a command of the gateway to its end. */
export function runGateway(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  return runProgram(ENTRY, args, options);
}
