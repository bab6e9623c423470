import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseAsGo, vllmBadJson, vllmRefusal } from './model-errors.ts';

/** The sentences of Go's `encoding/json`, as its source has them. */
for (const [body, problem] of [
  ['', 'missing request body'],
  ['hello', "invalid character 'h' looking for beginning of value"],
  ['{', 'unexpected EOF'],
  ['{"model":"a"', 'unexpected EOF'],
  ['{model:1}', "invalid character 'm' looking for beginning of object key string"],
  ["{'model':1}", "invalid character '\\'' looking for beginning of object key string"],
  ['{"model" 1}', "invalid character '1' after object key"],
  ['{"model":1 2}', "invalid character '2' after object key:value pair"],
  ['{"a":[1 2]}', "invalid character '2' after array element"],
  ['[]', 'json: cannot unmarshal array into Go value of type api.ChatRequest'],
  ['"x"', 'json: cannot unmarshal string into Go value of type api.ChatRequest'],
] as const) {
  test(`${JSON.stringify(body)} is refused as Go does`, () => {
    assert.deepEqual(parseAsGo(body, 'ChatRequest'), { problem });
  });
}

test('errors of vLLM are nested since 0.10.1', () => {
  const shape = (version: string) =>
    JSON.parse(vllmRefusal(version, 404, 'NotFoundError', 'x').body);
  const about = { message: 'x', type: 'NotFoundError', param: null, code: 404 };
  for (const old of ['0.6.4.post1', '0.9.2', '0.10.0']) {
    assert.deepEqual(shape(old), { object: 'error', ...about });
  }
  for (const recent of ['0.10.1.1', '0.10.2', '0.11.0'])
    assert.deepEqual(shape(recent), { error: about });
});

test('vLLM names what FastAPI missed', () => {
  assert.match(vllmBadJson('0.11.0', '').body, /'loc': \('body',\), 'msg': 'Field required'/);
  assert.match(vllmBadJson('0.11.0', '{"a":x}').body, /\('body', 5\), 'msg': 'JSON decode error'/);
});
