/**
 * Metrics of the notes server: tool calls, sign-ins, requests and vaults. No label value comes from
 * a caller, which prevents unbounded cardinality.
 */
import type { FastifyInstance } from 'fastify';
import { Metrics } from '../core/http/metrics.ts';
import type { Secret } from '../core/secrets/secret.ts';
import type { OpenVault } from './vaults/open-vault.ts';
import type { OpenVaults } from './vaults/open-vaults.ts';

const INDEX_STATES = ['building', 'ready', 'degraded'] as const;
const WATCHER_MODES = ['events', 'events_and_sweeps', 'sweeps', 'stopped'] as const;
const PUSH_STATES = ['off', 'queued', 'ok', 'failing'] as const;
const LOGINS: Readonly<Record<string, string>> = {
  login_success: 'success',
  login_failed: 'failed',
};

export async function createMetrics(key: Secret): Promise<Metrics> {
  const metrics = await Metrics.create('notes', key);
  const calls = metrics.counter(
    'notes_tool_calls_total',
    'Tool calls by tool and outcome: ok, or the code of the refusal.',
    ['tool', 'outcome'],
  );
  const duration = metrics.histogram(
    'notes_tool_call_duration_seconds',
    'Time from the call of a tool to its answer.',
    ['tool'],
  );
  const logins = metrics.counter('notes_logins_total', 'Sign-ins by outcome.', ['outcome']);
  metrics.count((event, { tool, outcome, duration_ms }) => {
    const login = LOGINS[event];
    if (login !== undefined) logins.inc({ outcome: login });
    if (event !== 'tool_call') return;
    calls.inc({ tool: String(tool), outcome: String(outcome) });
    duration.observe({ tool: String(tool) }, Number(duration_ms) / 1_000);
  });
  return metrics;
}

/** Counts requests by route; unknown paths share the route `none`. */
export function countRequests(metrics: Metrics, app: FastifyInstance): void {
  const requests = metrics.counter(
    'notes_http_requests_total',
    'HTTP requests by method, route and status.',
    ['method', 'route', 'status'],
  );
  const duration = metrics.histogram(
    'notes_http_request_duration_seconds',
    'Time from the request to the end of its answer. One that its client left is not counted.',
    ['route'],
  );
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.is404 ? 'none' : (request.routeOptions.url ?? 'none');
    requests.inc({ method: request.method, route, status: String(reply.raw.statusCode) });
    duration.observe({ route }, reply.elapsedTime / 1_000);
    done();
  });
}

/** Gauges of each vault, read at scrape time. */
export function showVaults(metrics: Metrics, vaults: OpenVaults): void {
  const each = (
    name: string,
    help: string,
    value: (open: OpenVault) => number | undefined | Promise<number | undefined>,
  ) =>
    metrics.gauge(name, help, ['vault'], async (gauge) => {
      for (const vault of vaults.names()) {
        const known = await value(vaults.get(vault));
        if (known !== undefined) gauge.set({ vault }, known);
      }
    });
  /** One gauge per state: 1 for the current state, 0 for the others. */
  const states = <S extends string>(
    name: string,
    help: string,
    all: readonly S[],
    value: (open: OpenVault) => S | undefined,
  ) =>
    metrics.gauge(name, help, ['vault', 'state'], (gauge) => {
      for (const vault of vaults.names()) {
        const current = value(vaults.get(vault));
        if (current === undefined) continue;
        for (const state of all) gauge.set({ vault, state }, state === current ? 1 : 0);
      }
    });

  const counts = async ({ index }: OpenVault) =>
    (await index.stats().catch(() => undefined))?.counts;
  each('notes_vault_notes', 'Notes in the index.', async (open) => (await counts(open))?.notes);
  each('notes_vault_words', 'Words in notes.', async (open) => (await counts(open))?.words);
  each('notes_vault_bytes', 'Bytes of notes.', async (open) => (await counts(open))?.bytes);
  each('notes_index_indexed', 'Notes that can be found.', ({ index }) => index.state().indexed);
  each('notes_index_on_disk', 'Notes on disk.', ({ index }) => index.state().onDisk);
  each('notes_index_skipped', 'Notes left out.', ({ index }) => index.state().skipped);
  states('notes_index_state', 'State of the index.', INDEX_STATES, ({ index }) => {
    return index.state().state;
  });
  states('notes_watcher_mode', 'How changes by others are noticed.', WATCHER_MODES, (open) => {
    return open.watcher().mode;
  });
  each('notes_trash_entries', 'Deleted notes that are kept.', ({ vault }) => vault.trash.count());
  each('notes_git_pending_commits', 'Changes without their commit yet.', ({ vault }) => {
    return vault.git?.state().pending;
  });
  each('notes_git_unpushed_commits', 'Commits the remote has not.', ({ vault }) => {
    return vault.git?.state().unpushed;
  });
  each('notes_git_last_push_timestamp_seconds', 'When a push last succeeded.', ({ vault }) => {
    const last = vault.git?.state().lastPush;
    return last ? last.getTime() / 1_000 : undefined;
  });
  metrics.counter(
    'notes_git_pushes_total',
    'Attempts to push, by outcome.',
    ['vault', 'outcome'],
    (counter) => {
      for (const vault of vaults.names()) {
        const git = vaults.get(vault).vault.git?.state();
        if (git === undefined) continue;
        counter.inc({ vault, outcome: 'ok' }, git.pushes);
        counter.inc({ vault, outcome: 'failed' }, git.failedPushes);
      }
    },
  );
  states('notes_git_push_state', 'State of the remote.', PUSH_STATES, ({ vault }) => {
    return vault.git?.state().push;
  });
}
