import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isJsonContentType } from './json-content-type.ts';

describe('a content type', () => {
  for (const value of [
    ...[
      'application/json',
      'Application/JSON',
      'application/vnd.x+json',
      'application/problem+json',
    ],
    ...[
      'application/json; charset=utf-8',
      'application/json;charset="UTF-8"',
      'application/json ; a=b',
    ],
    ...[
      'application/json;',
      'application/ld+json; profile="x y"',
      'application/json; charset=utf8',
    ],
  ]) {
    test(`${value} is JSON`, () => assert.equal(isJsonContentType(value), true));
  }

  for (const value of [
    ...[
      '',
      'text/plain',
      'application/jsonx',
      'application/x-json',
      'json',
      'text/html; a=application/json',
    ],
    ...[
      'application/json; charset=utf-16',
      'application/json; charset="latin1"',
      'application/json, text/plain',
    ],
    ...[
      'application/json; charset=utf-8; charset=utf-16',
      'application/json; charset',
      'application/+json',
    ],
    ...[
      'multipart/form-data; boundary=+json',
      'application/x-www-form-urlencoded',
      'application/json\ncharset=x',
    ],
  ]) {
    test(`${JSON.stringify(value)} is not`, () => assert.equal(isJsonContentType(value), false));
  }
});
