import assert from 'node:assert/strict';
import { constants } from 'node:buffer';
import { test } from 'node:test';
import { MAX_MCP_RESPONSE_BYTES } from '../upstream/call-context.ts';

test('the largest answer, in the dearest characters, fits into one string', () => {
  const lengthOf = (body: string) => {
    const text = JSON.stringify({ body });
    return JSON.stringify({ content: [{ text }], structuredContent: { body } }).length;
  };
  const each = lengthOf('\x01') - lengthOf('');
  assert.ok(MAX_MCP_RESPONSE_BYTES * each + 1024 * 1024 < constants.MAX_STRING_LENGTH);
});
