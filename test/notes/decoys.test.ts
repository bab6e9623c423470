/** The decoys within the notes server: before its 404, behind everything real, and what they betray. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  assertNamed,
  KEY,
  takeToken,
  testMountedDecoys,
} from '../support/decoys/mounted-decoys.ts';
import { cleaner, type NotesProcess, startNotes } from '../support/notes/notes.ts';
import { freePort } from '../support/programs/free-port.ts';

const OLD_KEY = 'a-honeytoken-key-of-before';

const suite = cleaner();
let plain: NotesProcess;
let trapped: NotesProcess;
let rotated: NotesProcess;
let metricsListen: string;
before(async () => {
  plain = await startNotes(suite);
  metricsListen = `127.0.0.1:${await freePort()}`;
  trapped = await startNotes(suite, {
    env: {
      NOTES_DECOYS_KEY: KEY,
      NOTES_METRICS: 'true',
      NOTES_METRICS_KEY: 'key-of-the-metrics',
      NOTES_METRICS_LISTEN: metricsListen,
    },
  });
  rotated = await startNotes(suite, {
    env: {
      NOTES_DECOYS_KEY: OLD_KEY,
      NOTES_DECOYS_OLD_KEYS: `another-old-key-of-some-length,${KEY}`,
    },
  });
});
after(() => suite.clean());

/** The call does its work all the same. */
async function callWith(text: string): Promise<void> {
  const { isError } = await trapped.call('note_create', { path: 'stolen.md', content: text });
  assert.equal(isError, false);
}

testMountedDecoys(
  () => ({ plain, trapped, metricsUrl: `http://${metricsListen}`, callWith }),
  ['/', '/nothing', '/metrics', '/fetch', '/default/a.md', '/mcp/x'],
);

test('health and metadata are those of a server without decoys', async () => {
  for (const path of ['/healthz', '/.well-known/oauth-protected-resource']) {
    const [one, other] = await Promise.all(
      [plain, trapped].map(async ({ url }) =>
        (await fetch(url + path)).text().then((text) => text.replaceAll(url, '')),
      ),
    );
    assert.equal(one, other, path);
  }
});

test('a honeytoken is known to a server that has its key as an old one, and logged by neither', async () => {
  const token = await takeToken(trapped.url);
  await fetch(`${rotated.url}/nothing`, { headers: { authorization: `Bearer ${token}` } });
  await assertNamed(rotated);
  for (const { stdout } of [trapped, rotated]) {
    for (const value of [token, KEY, OLD_KEY]) assert.ok(!stdout().includes(value));
  }
});
