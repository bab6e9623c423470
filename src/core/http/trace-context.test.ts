import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readTraceContext } from './trace-context.ts';

const ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = `00-${ID}-00f067aa0ba902b7-01`;

test('a valid traceparent is taken as it is, with its tracestate', () => {
  assert.deepEqual(readTraceContext(PARENT, 'rojo=00f067aa0ba902b7,congo=t61rcWkgMzE'), {
    traceparent: PARENT,
    tracestate: 'rojo=00f067aa0ba902b7,congo=t61rcWkgMzE',
    traceId: ID,
  });
  assert.equal(readTraceContext(`cc${PARENT.slice(2)}`, undefined)?.traceId, ID);
});

for (const [what, traceparent] of [
  ['nothing', undefined],
  ['another type', 7],
  ['upper case', PARENT.toUpperCase()],
  ['version ff', `ff${PARENT.slice(2)}`],
  ['a zero trace id', `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`],
  ['a zero span id', `00-${ID}-${'0'.repeat(16)}-01`],
  ['more fields', `${PARENT}-x`],
  ['a line break', `${PARENT}\n`],
  ['two headers', `${PARENT}, ${PARENT}`],
] as const) {
  test(`a traceparent with ${what} is no trace`, () => {
    assert.equal(readTraceContext(traceparent, 'a=b'), undefined);
  });
}

test('an invalid tracestate is dropped', () => {
  for (const tracestate of ['', 'a\nb', 'ä', 'x'.repeat(513), ['a=b'], 7]) {
    assert.deepEqual(readTraceContext(PARENT, tracestate), { traceparent: PARENT, traceId: ID });
  }
});
