/** The metrics of the gateway, in addition to those of every program. */
import { Metrics } from '../core/http/metrics.ts';
import type { Secret } from '../core/secrets/secret.ts';

export async function createMetrics(key: Secret): Promise<Metrics> {
  const metrics = await Metrics.create('gateway', key);
  const requests = metrics.counter(
    'gateway_requests_total',
    'Requests by target and outcome: the class of the upstream status, or the refusal code.',
    ['target', 'outcome'],
  );
  const redactions = metrics.counter(
    'gateway_redactions_total',
    'Secret values removed from answers, by target.',
    ['target'],
  );
  const duration = metrics.histogram(
    'gateway_request_duration_seconds',
    'Time from the call to its answer.',
    ['target'],
  );
  metrics.count((event, fields) => {
    if (event !== 'request') return;
    const target = String(fields.target ?? '');
    const outcome = String(fields.error ?? `${Math.floor(Number(fields.status) / 100)}xx`);
    requests.inc({ target, outcome });
    redactions.inc({ target }, Number(fields.redacted ?? 0));
    // An unauthorized request has no duration.
    if (fields.duration_ms === undefined) return;
    duration.observe({ target }, Number(fields.duration_ms) / 1_000);
  });
  return metrics;
}
