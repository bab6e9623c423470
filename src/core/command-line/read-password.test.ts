import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { type PasswordRead, readPassword } from './read-password.ts';

const NOT_TEXT = { problem: 'the password is not UTF-8 text; nothing was made' };

const piped: [name: string, chunks: (string | Buffer)[], read: PasswordRead][] = [
  ['a line', ['hunter2\n'], { password: 'hunter2' }],
  ['a line without an end', ['hunter2'], { password: 'hunter2' }],
  ['a line of Windows, and more', ['hunter2\r\nmore\n'], { password: 'hunter2' }],
  ['a line in pieces', ['hun', 'ter2\r', '\n'], { password: 'hunter2' }],
  ['a byte order mark', ['\ufeffhunter2\n'], { password: 'hunter2' }],
  ['an umlaut in two pieces', [Buffer.from([0xc3]), Buffer.from([0xa4, 0x0a])], { password: 'ä' }],
  ['an umlaut in Latin-1', [Buffer.from([0x70, 0xe4, 0x73, 0x0a])], NOT_TEXT],
  ['text and no text behind it', [Buffer.from([0x70, 0x0a, 0xe4])], { password: 'p' }],
];
for (const [name, chunks, read] of piped) {
  test(`a password from a pipe: ${name}`, async () => {
    const bytes = chunks.map((chunk) => Buffer.from(chunk));
    const input = Readable.from(bytes, { objectMode: false }) as unknown as NodeJS.ReadStream;
    assert.deepEqual(await readPassword(input), read);
  });
}
