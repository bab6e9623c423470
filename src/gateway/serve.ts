/** Runs the server from its start to its end: configuration, listeners, signals, drain. */
import { type Environment, isLevel } from '../core/config/environment.ts';
import { ExecValues } from '../core/config/exec-values.ts';
import { INSTALLATION, type Problem, quote } from '../core/config/problems.ts';
import { refuseToStart } from '../core/config/report-problems.ts';
import { releaseMemoryOfStart } from '../core/garbage.ts';
import { openListeners, withMetrics } from '../core/http/listeners.ts';
import { ownEndpoints } from '../core/http/own-endpoints.ts';
import { drain } from '../core/http/server.ts';
import { steadyNow } from '../core/limits/steady-clock.ts';
import { lineWriter } from '../core/log/line-writer.ts';
import { createLog, describeError, LEVELS } from '../core/log/log.ts';
import { alsoToFile } from '../core/log/log-file.ts';
import { Lookups } from '../core/net/lookups.ts';
import { systemResolver } from '../core/net/system-resolver.ts';
import { processEvents } from '../core/process.ts';
import { RecentCalls } from '../core/recent-calls/recent-calls.ts';
import { openShared } from '../core/redis/open-shared.ts';
import { endHashing, hashingProblem } from '../core/secrets/password.ts';
import type { SharedStore } from '../core/store/shared-store.ts';
import { MemoryStore } from '../core/store/store.ts';
import { VERSION } from '../core/version.ts';
import { createClientMetadataFetcher } from '../oauth/fetch-client-metadata.ts';
import { openApprovals } from './approvals/approvals.ts';
import { createNotifier } from './approvals/notify.ts';
import { ActiveConfig } from './config/active-config.ts';
import { configPath } from './config/environment.ts';
import { readConfigRunning } from './config/read-config.ts';
import { reportPrograms, reportWarnings } from './config/report.ts';
import { SharedIncarnations } from './config/shared-incarnations.ts';
import { MintedTokens } from './credentials/minted-tokens.ts';
import { SharedRefresh } from './credentials/shared-refresh.ts';
import { createMetrics } from './metrics.ts';
import { Reloader } from './reload.ts';
import { createGateway, decoyProblems } from './routes.ts';
import { UpstreamPools } from './upstream/pools.ts';
import { ResponseBudget } from './upstream/response-budget.ts';

const GRACE_MS = 10_000;
const STANDARD_OUTPUT = 1;
const REFUSED = 'the gateway cannot start';

export interface ServeOptions {
  /** How long running calls may take to finish after the signal to stop. */
  readonly graceMs?: number;
}

/** Resolves with the exit code once the server has ended. */
export async function serve(env: Environment, options: ServeOptions = {}): Promise<number> {
  const level = env.GATEWAY_LOG_LEVEL || 'info';
  if (!isLevel(level))
    return refuseToStart(REFUSED, [badLevel(level)], createLog({ level: 'info' }));
  const path = configPath(env);
  const exec = new ExecValues(env);
  const { config, problems, digest } = await readConfigRunning(path, env, exec);
  if (!config) {
    reportPrograms(exec, createLog({ level }));
    return refuseToStart(REFUSED, problems.errors, createLog({ level }));
  }

  const ownDecoys = await decoyProblems(config.server.decoys);
  if (ownDecoys.length > 0) return refuseToStart(REFUSED, ownDecoys, createLog({ level }));
  const unusable = hashingProblem();
  const active = new ActiveConfig(config);
  const metrics = config.server.metrics && (await createMetrics(config.server.metrics.key));
  const write = alsoToFile(env.GATEWAY_LOG_FILE, lineWriter(STANDARD_OUTPUT));
  const plainLog = createLog({ level, clean: active.clean, write });
  const log = metrics ? metrics.observe(plainLog) : plainLog;
  const events = processEvents(log);

  let shared: SharedStore | undefined;
  let incarnations: SharedIncarnations | undefined;
  try {
    shared = await openShared(config.server.store, 'gateway', log);
    incarnations = shared && new SharedIncarnations(shared, active);
    await incarnations?.agree();
  } catch (error) {
    await shared?.close();
    return refuseToStart(
      REFUSED,
      [{ file: path, key: 'server.store', message: describeError(error) }],
      log,
    );
  }
  const own = ownEndpoints(config.server.publicUrl);
  const pools = new UpstreamPools();
  const lookups = new Lookups(systemResolver);
  const store = shared ?? new MemoryStore();
  const announce = createNotifier({ active, resolve: systemResolver, own, log });
  const { publicUrl, sealKey } = config.server;
  const sharedRefresh = shared && new SharedRefresh(shared, sealKey);
  const tokens = new MintedTokens({ active, lookups, own, log, now: steadyNow, sharedRefresh });
  const gateway = await createGateway({
    active,
    store,
    ...openApprovals({ store, shared, sealKey, publicUrl, log, announce, now: steadyNow }),
    shared,
    log,
    pools,
    tokens,
    budget: new ResponseBudget(),
    lookups,
    own,
    recent: new RecentCalls(),
    fetchClientMetadata: createClientMetadataFetcher({ resolve: systemResolver, own }),
  });
  const main = { app: gateway.app, address: config.server.listen };
  const listeners = withMetrics(main, metrics, config.server.metrics?.listen, log);
  const refuse = async (problem: Problem) => {
    await Promise.all([...listeners.map(({ app }) => app.close()), shared?.close()]);
    return refuseToStart(REFUSED, [problem], log);
  };
  const missing = await unusable;
  if (missing !== undefined) return refuse({ file: INSTALLATION, message: missing });
  try {
    await openListeners(listeners, own);
  } catch (error) {
    return refuse({ file: path, message: describeError(error) });
  }
  log.info('startup', {
    version: VERSION,
    listen: config.server.listen.text,
    port: own.listeners[0]!.port,
    public_url: config.server.publicUrl,
    users: config.users.size,
  });
  reportWarnings(config, problems, log);
  reportPrograms(exec, log);

  const reloader = new Reloader({
    path,
    ...{ env, exec },
    active,
    log,
    digest,
    onChange: ({ removed, changed }) => {
      pools.closeAll();
      tokens.followReload();
      incarnations?.follow();
      for (const user of removed) gateway.mcp.endUser(user);
      for (const user of changed) gateway.mcp.toolsChanged(user);
      gateway.door.endRemovedKeys();
    },
  });
  events.onHangUp(() => void reloader.reload());
  reloader.watch();
  releaseMemoryOfStart();

  const signal = await events.stopped;
  reloader.stop();
  await Promise.all(listeners.map(({ app }) => drain(app, options.graceMs ?? GRACE_MS)));
  pools.closeAll();
  await Promise.all([endHashing(), shared?.close()]);
  log.info('shutdown', { signal });
  return 0;
}

function badLevel(text: string): Problem {
  const message = `${quote(text)} is not one of ${LEVELS.join(', ')}`;
  return { file: 'environment', key: 'GATEWAY_LOG_LEVEL', message };
}
