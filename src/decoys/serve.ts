/** Runs the server from its start to its end: settings, listener, signals, drain. */
import { once } from 'node:events';
import type { Server } from 'node:http';
import { createLog, describeError, type Log } from '../core/log.ts';
import { formatProblem, type Problem } from '../core/problems.ts';
import { processEvents } from '../core/process.ts';
import { VERSION } from '../core/version.ts';
import { gatheredLines } from './gathered-lines.ts';
import { createDecoyServer, drain } from './routes.ts';
import { type Environment, isTrusted, readSettings, type Settings } from './settings.ts';

const GRACE_MS = 5_000;
const STANDARD_OUTPUT = 1;

/** Resolves with the exit code once the server has ended. */
export async function serve(env: Environment): Promise<number> {
  const settings = readSettings(env);
  if ('problems' in settings) return refuseToStart(createLog({ level: 'info' }), settings.problems);

  const log = createLog({ level: settings.level, write: gatheredLines(STANDARD_OUTPUT) });
  const events = processEvents(log);
  if (settings.isKeyRandom) {
    const message = 'no honeytoken of this run can be opened after it; set DECOYS_KEY';
    log.warn('random_key', { message });
  }
  const { key, oldKeys, trustedProxies } = settings;
  const server = createDecoyServer({
    key,
    oldKeys,
    log,
    ...(trustedProxies.length > 0 && {
      isTrustedProxy: (peer) => isTrusted(trustedProxies, peer),
    }),
  });
  let port: number;
  try {
    port = await listen(server, settings);
  } catch (error) {
    return refuseToStart(log, [{ file: 'environment', message: describeError(error) }]);
  }
  log.info('startup', { version: VERSION, listen: settings.listen.text, port });

  const signal = await events.stopped;
  await drain(server, GRACE_MS);
  log.info('shutdown', { signal });
  return 0;
}

async function listen(server: Server, { listen: address }: Settings): Promise<number> {
  const { host, port, text } = address;
  try {
    server.listen({ host: host ?? '::', port });
    await once(server, 'listening');
  } catch (error) {
    const taken = (error as { code?: unknown }).code === 'EADDRINUSE';
    const reason = taken ? 'the address is in use by another process' : describeError(error);
    throw new Error(`cannot listen on ${text}: ${reason}`);
  }
  const bound = server.address();
  return typeof bound === 'object' && bound ? bound.port : port;
}

/** One line for machines on standard output, one per problem for people on standard error. */
function refuseToStart(log: Log, problems: readonly Problem[]): number {
  const lines = problems.map(formatProblem);
  log.error('config_error', { message: 'the decoys cannot start', problems: lines });
  for (const line of lines) process.stderr.write(`${line}\n`);
  return 1;
}
