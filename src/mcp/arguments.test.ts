import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type } from 'typebox';
import { defineTool } from './tool.ts';

const tool = defineTool({
  name: 'x',
  title: 'X',
  description: 'x',
  inputSchema: Type.Object(
    {
      url: Type.String({ minLength: 1 }),
      method: Type.Optional(Type.Union([Type.Literal('GET'), Type.Literal('POST')])),
      headers: Type.Optional(Type.Record(Type.String(), Type.String())),
      limit: Type.Optional(Type.Integer({ minimum: 1 })),
      value: Type.Optional(Type.Union([Type.String(), Type.Integer()])),
      edits: Type.Optional(Type.Array(Type.Object({ old: Type.String() }))),
    },
    { additionalProperties: false },
  ),
  annotations: {},
  call: async () => ({ content: [] }),
});

for (const [args, problem] of [
  [{ url: 'x' }, undefined],
  [{}, '`url` is required'],
  [{ url: '' }, '`url` must not have fewer than 1 characters'],
  [{ url: 1 }, '`url` must be a string'],
  [{ url: 'x', limit: 0 }, '`limit` must be >= 1'],
  [{ url: 'x', limit: 1.5 }, '`limit` must be an integer'],
  [{ url: 'x', method: 'PUT' }, '`method` must be one of "GET", "POST"'],
  [{ url: 'x', value: {} }, '`value` must be a string or an integer'],
  [{ url: 'x', headers: { 'a/b': 1 } }, '`headers.a/b` must be a string'],
  [{ url: 'x', edits: [{ old: 'a' }, {}] }, '`edits.1.old` is required'],
  [{ url: 'x', limt: 1 }, '`limt` is not an argument of this tool'],
  [{ uri: 'x' }, '`url` is required; `uri` is not an argument of this tool'],
  [[], '`arguments` must be an object'],
  ['x', '`arguments` must be an object'],
] as const) {
  test(`${JSON.stringify(args)} is ${problem ?? 'right'}`, () => {
    assert.equal(tool.problemOf(args), problem);
  });
}

test('the value of a wrong argument is never repeated', () => {
  const secret = 'hunter2-hunter2';
  const args = { url: [secret], method: secret, headers: secret, limit: secret, edits: secret };
  assert.doesNotMatch(tool.problemOf(args) ?? '', /hunter2/);
});

test('ten thousand wrong members give a short message', () => {
  const headers = Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`h${at}`, at]));
  assert.ok((tool.problemOf({ url: 'x', headers })?.length ?? 0) < 500);
});
