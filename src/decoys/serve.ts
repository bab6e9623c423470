/** Runs the server from its start to its end: settings, listener, signals, drain. */
import { once } from 'node:events';
import type { Environment } from '../core/config/environment.ts';
import { formatProblem } from '../core/config/problems.ts';
import { refuseToStart } from '../core/config/report-problems.ts';
import { isTrusted } from '../core/config/trusted-proxies.ts';
import { openListener } from '../core/http/open-listener.ts';
import { createLog, describeError } from '../core/log/log.ts';
import { alsoToFile } from '../core/log/log-file.ts';
import { processEvents } from '../core/process.ts';
import { VERSION } from '../core/version.ts';
import { gatheredLines } from './gathered-lines.ts';
import { createDecoyServer, drain } from './routes.ts';
import { readSettings } from './settings.ts';

const GRACE_MS = 5_000;
const STANDARD_OUTPUT = 1;
const REFUSED = 'the decoys cannot start';

/** Resolves with the exit code once the server has ended. */
export async function serve(env: Environment): Promise<number> {
  const settings = readSettings(env);
  if ('problems' in settings) {
    return refuseToStart(REFUSED, settings.problems, createLog({ level: 'info' }));
  }

  const write = alsoToFile(settings.logFile, gatheredLines(STANDARD_OUTPUT));
  const plainLog = createLog({ level: settings.level, write });
  // Loaded only when they are on: they bring a library.
  const metrics =
    settings.metrics && (await (await import('./serve-metrics.ts')).decoyMetrics(settings.metrics));
  const log = metrics ? metrics.observe(plainLog) : plainLog;
  const events = processEvents(log);
  for (const warning of settings.warnings) {
    log.warn('config_error', { message: formatProblem(warning) });
  }
  if (settings.isKeyRandom) {
    const message = 'honeytokens of this run cannot be read after a restart; set DECOYS_KEY';
    log.warn('random_key', { message });
  }
  const { key, oldKeys, trustedProxies, persona, definitions } = settings;
  const server = createDecoyServer({
    key,
    oldKeys,
    definitions,
    ...(persona && { persona }),
    log,
    ...(trustedProxies.length > 0 && {
      isTrustedProxy: (peer) => isTrusted(trustedProxies, peer),
    }),
  });
  let port: number;
  try {
    port = await openListener(server, settings.listen, (at) => {
      server.listen(at);
      return once(server, 'listening');
    });
    await metrics?.open(log);
  } catch (error) {
    const problem = { file: 'environment', message: describeError(error) };
    return refuseToStart(REFUSED, [problem], log);
  }
  log.info('startup', { version: VERSION, listen: settings.listen.text, port });

  const signal = await events.stopped;
  await Promise.all([drain(server, GRACE_MS), metrics?.close()]);
  log.info('shutdown', { signal });
  return 0;
}
