import assert from 'node:assert/strict';
import { test } from 'node:test';
import { originOf } from './http-url.ts';

const rows: [string, string | undefined][] = [
  ['https://app.example.com', 'https://app.example.com'],
  ['https://app.example.com/', 'https://app.example.com'],
  ['https://App.Example.com', 'https://app.example.com'],
  ['HTTP://localhost:6274', 'http://localhost:6274'],
  ['chrome-extension://abcdefghijklmnop', 'chrome-extension://abcdefghijklmnop'],
  ['vscode-webview://1k2j', 'vscode-webview://1k2j'],
  ['app://desktop:8080', 'app://desktop:8080'],
  ['https://app.example.com:443', undefined],
  ['https://app.example.com/path', undefined],
  ['https://user@app.example.com', undefined],
  ['https://*.example.com/x', undefined],
  ['chrome-extension://abc/popup.html', undefined],
  ['chrome-extension://*', undefined],
  ['chrome-extension://user:password@abc', undefined],
  ['chrome-extension:abc', undefined],
  ['file://', undefined],
  ['app.example.com', undefined],
  ['null', undefined],
  ['*', undefined],
  ['', undefined],
];
for (const [text, origin] of rows) {
  test(`${JSON.stringify(text)} is ${origin === undefined ? 'no origin' : `the origin ${origin}`}`, () => {
    assert.equal(originOf(text), origin);
  });
}
