/** No news twice, no flood, nothing forgotten, also over restarts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Alert, Severity } from './alert.ts';
import { AlertQueue, type Message } from './alert-queue.ts';

const NOW_MS = Date.UTC(2026, 10, 15);
const MINUTE_MS = 60_000;

function alert(key: string, severity: Severity = 'high', timeMs = NOW_MS): Alert {
  return { key, severity, timeMs, event: 'honeytoken_used', title: 'Honeytoken used', facts: {} };
}

/** Everything that can be sent now. */
function drain(queue: AlertQueue, nowMs: number): Message[] {
  const messages: Message[] = [];
  for (let next = queue.next(nowMs); next; next = queue.next(nowMs)) {
    messages.push(next);
    queue.delivered(next);
  }
  return messages;
}

const keysOf = (messages: readonly Message[]) =>
  messages.flatMap(({ alerts }) => alerts.map(({ key }) => key));

test('the same news is told once, and how often it came again after an hour', () => {
  const queue = new AlertQueue(NOW_MS);
  for (let at = 0; at < 5; at++) queue.add(alert('a'), NOW_MS + at * MINUTE_MS);
  assert.deepEqual(keysOf(drain(queue, NOW_MS + 5 * MINUTE_MS)), ['a']);
  assert.equal(queue.wakeMs(NOW_MS + 5 * MINUTE_MS), NOW_MS + 60 * MINUTE_MS);
  const [later, ...others] = drain(queue, NOW_MS + 60 * MINUTE_MS);
  assert.equal(later?.alerts[0]?.repeats, 4);
  assert.deepEqual(others, []);
  assert.deepEqual(drain(queue, NOW_MS + 121 * MINUTE_MS), []);
});

test('what is not delivered is next again', () => {
  const queue = new AlertQueue(NOW_MS);
  queue.add(alert('a'), NOW_MS);
  assert.deepEqual(queue.next(NOW_MS)?.alerts, queue.next(NOW_MS)?.alerts);
});

test('many at once are told together, the most urgent first', () => {
  const queue = new AlertQueue(NOW_MS);
  for (let at = 0; at < 600; at++) queue.add(alert(`low ${at}`, 'low'), NOW_MS);
  queue.add(alert('theft', 'high', NOW_MS + 1), NOW_MS);
  const messages = drain(queue, NOW_MS);
  assert.equal(messages.length, 1);
  assert.equal(messages[0]?.alerts[0]?.key, 'theft');
  assert.deepEqual([messages[0]?.alerts.length, messages[0]?.others.low], [20, 581]);
});

test('ten messages may come at once, and then one a minute', () => {
  const queue = new AlertQueue(NOW_MS);
  let sent = 0;
  for (let second = 0; second < 600; second++) {
    const nowMs = NOW_MS + second * 1_000;
    queue.add(alert(`${second}`), nowMs);
    sent += drain(queue, nowMs).length;
  }
  assert.ok(sent >= 15 && sent <= 10 + 10, `${sent}`);
});

test('a use of a sealed token is told although ten thousand others came, before and after', () => {
  for (const noise of ['low', 'medium'] as const) {
    const queue = new AlertQueue(NOW_MS);
    for (let at = 0; at < 10_000; at++) queue.add(alert(`before ${at}`, noise), NOW_MS);
    queue.add(alert('theft'), NOW_MS);
    for (let at = 0; at < 10_000; at++) queue.add(alert(`after ${at}`, noise), NOW_MS);
    const messages = drain(queue, NOW_MS + MINUTE_MS);
    assert.equal(messages[0]?.alerts[0]?.key, 'theft');
    const told = messages.reduce(
      (sum, { alerts, others }) => sum + alerts.length + others[noise],
      0,
    );
    assert.equal(told, 20_001);
  }
});

test('fifty stolen tokens at once are each told by name', () => {
  const queue = new AlertQueue(NOW_MS);
  for (let at = 0; at < 50; at++) queue.add(alert(`token ${at}`), NOW_MS);
  assert.equal(new Set(keysOf(drain(queue, NOW_MS))).size, 50);
});

test('whatever happens and wherever it is restarted, each news is told or counted once', () => {
  const step = fc.record({
    key: fc.integer({ min: 0, max: 30 }),
    severity: fc.constantFrom<Severity>('low', 'medium', 'high'),
    waitMs: fc.integer({ min: 0, max: 3 * MINUTE_MS }),
    isSent: fc.boolean(),
    restarts: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      let queue = new AlertQueue(NOW_MS);
      let [nowMs, told] = [NOW_MS, 0];
      const known = new Set<string>();
      const tell = (message: Message | undefined) => {
        if (!message) return;
        queue.delivered(message);
        told += message.alerts.filter(({ repeats }) => repeats === undefined).length;
        told += Object.values(message.others).reduce((sum, count) => sum + count, 0);
      };
      for (const { key, severity, waitMs, isSent, restarts } of steps) {
        nowMs += waitMs;
        // Within an hour, so that nothing is news again.
        if (nowMs - NOW_MS >= 59 * MINUTE_MS) break;
        const name = `${key} ${severity}`;
        known.add(name);
        queue.add(alert(name, severity), nowMs);
        if (isSent) tell(queue.next(nowMs));
        if (restarts) queue = new AlertQueue(nowMs, JSON.parse(JSON.stringify(queue.state)));
      }
      for (let message = queue.next(nowMs, true); message; message = queue.next(nowMs, true))
        tell(message);
      assert.equal(told, known.size);
    }),
  );
});

test('a clock that is set back a year stops nothing', () => {
  const queue = new AlertQueue(NOW_MS);
  for (let at = 0; at < 30; at++) {
    queue.add(alert(`${at}`), NOW_MS);
    drain(queue, NOW_MS);
  }
  const backMs = NOW_MS - 365 * 24 * 60 * MINUTE_MS;
  queue.add(alert('new'), backMs);
  drain(queue, backMs);
  assert.ok(keysOf(drain(queue, backMs + 2 * MINUTE_MS)).includes('new'));
});
