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
  const tokens = metrics.counter(
    'gateway_token_requests_total',
    'Token requests of minted secrets by user, secret and outcome: ok, refused or unanswered.',
    ['user', 'secret', 'outcome'],
  );
  metrics.count((event, fields) => {
    if (event === 'token_requested') {
      // Not the error code: it is the choice of the provider.
      const { user, secret, error, status } = fields;
      const outcome = error === undefined ? 'ok' : status === null ? 'unanswered' : 'refused';
      tokens.inc({ user: String(user), secret: String(secret), outcome });
    }
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
