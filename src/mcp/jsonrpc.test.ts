import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  idOf,
  kindOf,
  MAX_DEPTH,
  MAX_MEMBERS,
  PARSE_ERROR,
  parseBody,
  RpcError,
} from './jsonrpc.ts';

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

test('any JSON of bearable depth is parsed as JSON.parse would', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.nat(2 * MAX_DEPTH), (inner, levels) => {
      let value: unknown = inner;
      for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { value };
      const text = JSON.stringify(value);
      if (depthOf(value) <= MAX_DEPTH) assert.deepEqual(parseBody(text), JSON.parse(text));
      else assert.throws(() => parseBody(text), RpcError);
    }),
  );
});

test('the bound on depth holds for brackets of one kind and of both', () => {
  for (const [open, close] of [
    ['[', ']'],
    ['{"a":', '}'],
    ['[{"a":', '}]'],
    ['[[[{"a":', '}]]]'],
  ] as const) {
    const levels = open.replace(/[^[{]/g, '').length;
    const nested = (times: number) => `${open.repeat(times)}1${close.repeat(times)}`;
    const most = Math.floor(MAX_DEPTH / levels);
    assert.deepEqual(parseBody(nested(most)), JSON.parse(nested(most)));
    assert.throws(() => parseBody(nested(most + 1)), /nested deeper/);
    assert.throws(() => parseBody(`["${'x'.repeat(MAX_MEMBERS)}",${nested(most)}]`), /nested/);
  }
});

test('ten thousand members are taken, more are not', () => {
  const list = (length: number) => JSON.stringify(Array.from({ length }, () => 0));
  assert.equal((parseBody(list(MAX_MEMBERS)) as unknown[]).length, MAX_MEMBERS);
  assert.throws(() => parseBody(list(MAX_MEMBERS + 2)), /more than 10000 members; split it/);
  assert.equal(parseBody(JSON.stringify(','.repeat(20_000))), ','.repeat(20_000));
});

test('text is refused or parsed exactly where JSON.parse would', () => {
  const fragment = fc.constantFrom('{', '}', '[', ']', '"', '\\', ',', ':', '1', 'null', '"a"');
  fc.assert(
    fc.property(fc.array(fragment, { maxLength: 40 }), (fragments) => {
      const text = fragments.join('');
      let expected: unknown;
      try {
        expected = JSON.parse(text);
      } catch {
        assert.throws(
          () => parseBody(text),
          (error) => error instanceof RpcError && error.code === PARSE_ERROR,
        );
        return;
      }
      assert.deepEqual(parseBody(text), expected);
    }),
  );
});

test('an id is taken only if it can be echoed exactly', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.double(), fc.integer(), fc.jsonValue()), (id) => {
      const isExact = typeof id === 'string' || Number.isSafeInteger(id);
      const message = { jsonrpc: '2.0', id, method: 'x' };
      assert.equal(kindOf(message) === 'request', isExact);
      assert.equal(idOf(message), isExact ? id : null);
    }),
  );
});
