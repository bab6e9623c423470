import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Type as TypeBox } from 'typebox';
import { Compile } from 'typebox/compile';
import { assertCheckable, problemOf } from './check.ts';
import { Type } from './schema.ts';

/** The same definition in our words and in TypeBox's. */
function definition(T: typeof Type) {
  return T.Object(
    {
      url: T.String({ minLength: 1, maxLength: 3 }),
      method: T.Optional(T.Union([T.Literal('GET'), T.Literal('POST')])),
      headers: T.Optional(T.Record(T.String(), T.String())),
      limit: T.Optional(T.Integer({ minimum: 1, maximum: 9 })),
      ratio: T.Optional(T.Number()),
      flag: T.Optional(T.Boolean()),
      value: T.Optional(
        T.Union([T.String(), T.Integer(), T.Array(T.Union([T.String(), T.Boolean()]))]),
      ),
      none: T.Optional(T.Null()),
      edits: T.Optional(T.Array(T.Object({ old: T.String() }), { minItems: 1, maxItems: 2 })),
    },
    { additionalProperties: false },
  );
}
const ours = definition(Type);

for (const [args, problem] of [
  [{ url: 'x' }, undefined],
  [{}, '`url` is required'],
  [{ url: '' }, '`url` must have at least 1 characters'],
  [{ url: 'long' }, '`url` must have at most 3 characters'],
  [{ url: 1 }, '`url` must be a string'],
  [{ url: 'x', limit: 0 }, '`limit` must be at least 1'],
  [{ url: 'x', limit: 1.5 }, '`limit` must be an integer'],
  [{ url: 'x', method: 'PUT' }, '`method` must be one of "GET", "POST"'],
  [{ url: 'x', value: {} }, '`value` must be a string or an integer or an array'],
  [{ url: 'x', none: 1 }, '`none` must be null'],
  [{ url: 'x', headers: { 'a/b': 1 } }, '`headers.a/b` must be a string'],
  [{ url: 'x', edits: [{ old: 'a' }, {}] }, '`edits.1.old` is required'],
  [{ url: 'x', edits: [] }, '`edits` must have at least 1 items'],
  [{ url: 'x', limt: 1 }, '`limt` is not an argument of this tool'],
  [{ uri: 'x' }, '`url` is required; `uri` is not an argument of this tool'],
  [[], '`arguments` must be an object'],
  ['x', '`arguments` must be an object'],
] as const) {
  test(`${JSON.stringify(args)} is ${problem ?? 'right'}`, () => {
    assert.equal(problemOf(ours, args), problem);
  });
}

test('the check agrees with TypeBox, and so does the schema on the wire', () => {
  const theirs = Compile(definition(TypeBox as unknown as typeof Type) as never);
  const scalar = fc.oneof(
    fc.constantFrom('', 'x', 'abc', 'abcd', 'GET', 0, 1, 9, 10, 1.5, true, null),
    fc.array(fc.constantFrom('x', true, 1, null), { maxLength: 3 }),
    fc.array(fc.record({ old: fc.constantFrom('x', 1) }, { requiredKeys: [] }), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', '__proto__', 'constructor'), fc.constantFrom('x', 1)),
  );
  const keys = [
    'url',
    'method',
    'headers',
    'limit',
    'ratio',
    'flag',
    'value',
    'none',
    'edits',
    'odd',
  ];
  const args = fc.dictionary(fc.constantFrom(...keys), scalar, { maxKeys: 4 });
  fc.assert(
    fc.property(args, (value) => {
      const parsed = JSON.parse(JSON.stringify({ url: 'x', ...value }));
      assert.equal(problemOf(ours, parsed) === undefined, theirs.Check(parsed as never));
    }),
    { numRuns: 3_000 },
  );
});

test('the value of a wrong argument is never repeated', () => {
  const secret = 'hunter2-hunter2';
  const args = { url: [secret], method: secret, headers: secret, limit: secret, edits: secret };
  assert.doesNotMatch(problemOf(ours, args) ?? '', /hunter2/);
});

test('ten thousand wrong members give a short message', () => {
  const headers = Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`h${at}`, at]));
  const problem = problemOf(ours, { url: 'x', headers });
  assert.match(problem ?? '', /; and more$/);
  assert.ok((problem?.length ?? 0) < 300);
});

test('a schema that asks for what is not checked is refused', () => {
  assert.doesNotThrow(() => assertCheckable(ours));
  const odd = { type: 'object', properties: { mail: { type: 'string', format: 'email' } } };
  assert.throws(() => assertCheckable(odd as never), /"format" is not checked/);
});

test('an enum takes its texts and names them when it is given another value', () => {
  const schema = Type.Object({ mode: Type.Enum(['all', 'any']) });
  assert.equal(problemOf(schema, { mode: 'any' }), undefined);
  for (const mode of ['ALL', '', 1, null, ['all'], {}]) {
    assert.equal(problemOf(schema, { mode }), '`mode` must be one of "all", "any"');
  }
  assert.doesNotThrow(() => assertCheckable(schema));
});
