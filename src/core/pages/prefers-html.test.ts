import assert from 'node:assert/strict';
import { test } from 'node:test';
import { prefersHtml } from './prefers-html.ts';

const rows: [accept: string | undefined, expected: boolean][] = [
  // Chrome, Firefox and Safari; Lynx.
  ['text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8', true],
  ['text/html, text/plain, text/sgml, */*;q=0.01', true],
  ['text/html', true],
  ['TEXT/HTML ; Q=0.9 , application/json;q=0.8', true],
  ['text/html;charset=utf-8', true],
  ['text/html, */*', true],
  ['text/html;q=0.5, application/json;q=0.499', true],
  // Programs: fetch and curl, axios, MCP clients, and anyone who takes both alike.
  [undefined, false],
  ['', false],
  ['*/*', false],
  ['text/*', false],
  ['application/json, text/plain, */*', false],
  ['application/json, text/event-stream', false],
  ['text/event-stream', false],
  ['text/html, application/json', false],
  ['application/json, text/html;q=0.9', false],
  ['text/html;q=0.5, */*', false],
  ['text/html;q=0.5, application/*', false],
  ['application/xhtml+xml', false],
  // Refused, and nonsense.
  ['text/html;q=0', false],
  ['text/html;q=0.000, */*;q=0', false],
  ['text/html;q=2', false],
  ['text/html;q=-1', false],
  ['text/html;q=x', false],
  ['text/html;q=1e9', false],
  ['text/htmlx', false],
  ['xtext/html', false],
  [',;,;q=1,,', false],
];
for (const [accept, expected] of rows) {
  test(`${accept ?? 'no Accept'} ${expected ? 'prefers' : 'does not prefer'} a page`, () => {
    assert.equal(prefersHtml(accept), expected);
  });
}
