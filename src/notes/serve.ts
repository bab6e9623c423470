/**
 * Runs the server: configuration, data directory, lock, vaults, listeners, signals, drain. The index
 * is updated while requests are served.
 */
import type { Environment } from '../core/config/environment.ts';
import { formatProblem, type Problem } from '../core/config/problems.ts';
import { refuseToStart } from '../core/config/report-problems.ts';
import { releaseMemoryOfStart } from '../core/garbage.ts';
import { openListeners, withMetrics } from '../core/http/listeners.ts';
import { ownEndpoints } from '../core/http/own-endpoints.ts';
import { drain } from '../core/http/server.ts';
import { lineWriter } from '../core/log/line-writer.ts';
import { createLog, describeError, type Log } from '../core/log/log.ts';
import { alsoToFile } from '../core/log/log-file.ts';
import { systemResolver } from '../core/net/system-resolver.ts';
import { processEvents } from '../core/process.ts';
import { RecentCalls } from '../core/recent-calls/recent-calls.ts';
import { Redactor } from '../core/redactor/redactor.ts';
import { openShared } from '../core/redis/open-shared.ts';
import { endHashing } from '../core/secrets/password.ts';
import { claimOnlyUser } from '../core/store/incarnations.ts';
import type { SharedStore } from '../core/store/shared-store.ts';
import { MemoryStore } from '../core/store/store.ts';
import { VERSION } from '../core/version.ts';
import { createClientMetadataFetcher } from '../oauth/fetch-client-metadata.ts';
import { readNotesConfig } from './config.ts';
import { readData } from './data.ts';
import { Embeddings } from './embeddings/embeddings.ts';
import { countRequests, createMetrics, showVaults } from './metrics.ts';
import { missingParts } from './missing-parts.ts';
import { ReindexSocket } from './reindex-socket.ts';
import { createNotesServer, decoyProblems } from './routes.ts';
import { SingleUser } from './single-user.ts';
import { diff } from './text/diff.ts';
import { DataLock } from './vaults/data-lock.ts';
import { OpenVaults } from './vaults/open-vaults.ts';
import { isWritable } from './vaults/write-policy.ts';

const GRACE_MS = 10_000;
const STANDARD_OUTPUT = 1;
const REFUSED = 'the notes server cannot start';

export interface ServeOptions {
  /** How long running calls may take to finish after the signal to stop. */
  readonly graceMs?: number;
}

/** Resolves with the exit code once the server has ended. */
export async function serve(env: Environment, options: ServeOptions = {}): Promise<number> {
  const { config, problems, warnings } = readNotesConfig(env);
  if (!config) return refuseToStart(REFUSED, problems, createLog({ level: 'info' }));
  const redactor = Redactor.of(config.secrets);
  const clean = (text: string) => redactor.text(text).text;
  const metrics = config.metrics && (await createMetrics(config.metrics.key));
  const write = alsoToFile(config.logFile, lineWriter(STANDARD_OUTPUT));
  const plainLog = createLog({ level: config.level, clean, write });
  const log = metrics ? metrics.observe(plainLog) : plainLog;
  const refuseAll = (found: readonly Problem[]) => {
    const cleaned = found.map((problem) => ({ ...problem, message: clean(problem.message) }));
    return refuseToStart(REFUSED, cleaned, log);
  };
  const refuse = (key: string, error: unknown) =>
    refuseAll([{ file: 'environment', key, message: describeError(error) }]);

  const [found, missing, ownDecoys] = await Promise.all([
    readData(config),
    missingParts(config),
    decoyProblems(config.decoys),
  ]);
  const fatal = [...found.problems, ...missing, ...ownDecoys];
  if (fatal.length > 0) return refuseAll(fatal);
  let shared: SharedStore | undefined;
  let incarnation: string | undefined;
  try {
    shared = await openShared(config.store, 'notes', log);
    incarnation = shared && (await claimOnlyUser(shared, config.username));
  } catch (error) {
    await shared?.close();
    return refuse('NOTES_STORE', error);
  }
  let lock: DataLock | undefined;
  try {
    // A read-only directory needs no lock.
    if (isWritable(config.data)) lock = DataLock.take(config.data);
  } catch (error) {
    await shared?.close();
    return refuse('NOTES_DATA', error);
  }
  lock?.keep((error) => {
    log.error('storage_problem', { step: 'lock', message: describeError(error) });
  });
  const events = processEvents(log);
  const embeddings = config.embeddings && new Embeddings(config.embeddings);
  let vaults: OpenVaults;
  try {
    vaults = await OpenVaults.open({
      data: config.data,
      defaultVault: found.defaultVault,
      difference: diff,
      log,
      policy: config.access.policy,
      git: config.git,
      embeddings,
    });
  } catch (error) {
    lock?.release();
    await shared?.close();
    return refuse('NOTES_DATA', error);
  }

  const socket = lock && (await openSocket(config.data, vaults, log));
  const own = ownEndpoints(config.publicUrl);
  const app = await createNotesServer({
    config,
    vaults,
    log,
    recent: new RecentCalls(),
    now: () => new Date(),
    users: new SingleUser(config.username, config.password, incarnation, config.totp !== undefined),
    store: shared ?? new MemoryStore(),
    shared,
    fetchClientMetadata: createClientMetadataFetcher({ resolve: systemResolver, own }),
  });
  if (metrics) {
    countRequests(metrics, app);
    showVaults(metrics, vaults);
  }
  const main = { app, address: config.listen };
  const listeners = withMetrics(main, metrics, config.metrics?.listen, log);
  const close = async (graceMs: number) => {
    await socket?.close();
    await Promise.all(listeners.map((listener) => drain(listener.app, graceMs)));
    await Promise.all([vaults.close(), endHashing(), shared?.close()]);
    await embeddings?.close();
    lock?.release();
  };
  try {
    await openListeners(listeners, own);
  } catch (error) {
    await close(0);
    const isMain = own.listeners.length === 0;
    return refuse(isMain ? 'NOTES_LISTEN' : 'NOTES_METRICS_LISTEN', error);
  }
  const readOnly = vaults.names().filter((name) => vaults.get(name).vault.isReadOnly);
  log.info('startup', {
    version: VERSION,
    listen: config.listen.text,
    port: own.listeners[0]!.port,
    public_url: config.publicUrl,
    data: config.data,
    vaults: vaults.names(),
    default_vault: vaults.defaultName,
    git: config.git !== undefined,
    embeddings: config.embeddings?.kind ?? 'off',
    ...(readOnly.length > 0 && { read_only: readOnly }),
  });
  releaseMemoryOfStart();
  for (const warning of [...warnings, ...found.warnings]) {
    log.warn('config_error', { message: formatProblem(warning) });
  }

  const signal = await events.stopped;
  await close(options.graceMs ?? GRACE_MS);
  log.info('shutdown', { signal });
  return 0;
}

/** The server runs without the socket; only `notes reindex` needs it. */
async function openSocket(
  data: string,
  vaults: OpenVaults,
  log: Log,
): Promise<ReindexSocket | undefined> {
  try {
    return await ReindexSocket.open(data, vaults, log);
  } catch (error) {
    const message = 'notes reindex cannot reach this server; restart it to rebuild the index';
    log.warn('reindex_unavailable', { message, cause: describeError(error) });
    return undefined;
  }
}
