import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Method, Target } from '../config/config.ts';
import type { Refusal } from '../request/refusal.ts';
import type { RequestUrl } from '../request/request-url.ts';
import { checkMethod } from './check-method.ts';

function codeOf(query: string, methods: readonly Method[] | undefined, method = 'GET') {
  const target = methods && ({ methods } as Target);
  try {
    checkMethod({ method, url: { query } as RequestUrl }, target);
    return 'fine';
  } catch (refusal) {
    return (refusal as Refusal).code;
  }
}

describe('a query that names a method is refused', () => {
  for (const query of [
    ...['_method=DELETE', '_method=delete', 'a=1&_method=DELETE', '_method=GET&_method=DELETE'],
    ...['_METHOD=DELETE', '_%6dethod=DELETE', '%5Fmethod=%44ELETE', '_HttpMethod=PATCH'],
    ...['X-HTTP-Method-Override=PUT', 'x_http_method_override=PUT', 'X-HTTP-Method=PUT'],
    ...['X-Method-Override=PUT', '$httpMethod=DELETE', '%24httpMethod=DELETE'],
    // Upstreams that separate by semicolons.
    ...['a=1;_method=DELETE', '_method=GET;_method=DELETE', ';_method=DELETE;b=1'],
    // PHP reads each of these as _method.
    ...['.method=DELETE', '+_method=DELETE', '%20.method=DELETE', '[method=DELETE'],
    // Others take a name out of brackets.
    ...['[_method]=DELETE', '_method[]=DELETE', '_method%5B0%5D=DELETE', '?_method=DELETE'],
    // One that is permitted, too: what the query names is not what the audit line says.
    ...['_method=GET', '_method=get&_METHOD=HEAD', 'a=1;b=2&_method=GET'],
    // Whatever else an upstream may make of it.
    ...['_method', '_method=', '_method=+GET', '_method=GETS', '_method=PURGE'],
  ]) {
    test(query, () => assert.equal(codeOf(query, ['GET']), 'method_not_allowed'));
  }
});

describe('a query that names none passes', () => {
  for (const query of [
    ...['', 'a=1', 'method=DELETE', 'a=_method', 'my_method=DELETE', '_methods=DELETE'],
    ...['http_method=DELETE', '_id=GET', 'a[_method]=DELETE', '_methods[]=DELETE'],
  ]) {
    test(query, () => assert.equal(codeOf(query, ['GET', 'HEAD']), 'fine'));
  }

  test('outside a target, too', () => {
    assert.equal(codeOf('a=DELETE', undefined), 'fine');
    assert.equal(codeOf('_method=DELETE', undefined), 'method_not_allowed');
  });
});

test('the refusal says why and what to do, and quotes nothing of the model', () => {
  const url = { query: '_method=something' } as RequestUrl;
  const target = { methods: ['GET', 'HEAD'] as readonly Method[] } as Target;
  assert.throws(() => checkMethod({ method: 'GET', url }, target), {
    message:
      'the query overrides the method (_method or similar); remove that parameter and set `method`',
  });
});
