/** The second factor of the notes server, at its console; the flows themselves are the gateway's tests. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Secret } from '../../src/core/secrets/secret.ts';
import { TOTP_STEP_MS, totpCode } from '../../src/core/secrets/totp.ts';
import { readNotesConfig } from '../../src/notes/config.ts';
import { cookiesOf } from '../support/mcp/client.ts';
import {
  dataDirectory,
  notesEnvironment,
  PASSWORD,
  startNotes,
  USERNAME,
} from '../support/notes/notes.ts';

const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';

test('with NOTES_TOTP, the password alone signs nobody in', async (context) => {
  const env = { NOTES_TOTP: SECRET };
  const notes = await startNotes(context, { data: dataDirectory(context), env });
  const origin = notes.url;
  const fields = (page: string) => {
    const hidden = /<input[^>]*type="hidden"[^>]*name="([^"]+)"[^>]*value="([^"]*)"/g;
    const pairs = [...page.matchAll(hidden)].map(([, name, value]) => [name!, value!]);
    return new URLSearchParams(pairs as [string, string][]);
  };
  const post = (path: string, body: URLSearchParams, cookie: string) =>
    fetch(`${origin}${path}`, {
      method: 'POST',
      body,
      headers: { cookie, origin },
      redirect: 'manual',
    });
  const shown = await fetch(`${origin}/sign-in`);
  const form = fields(await shown.text());
  form.set('username', USERNAME);
  form.set('password', PASSWORD);
  const asked = await post('/sign-in', form, cookiesOf(shown));
  assert.equal(asked.status, 200);
  const page = await asked.text();
  assert.match(page, /six digits/);
  const pending = cookiesOf(asked);
  const inside = await fetch(`${origin}/console`, { headers: { cookie: pending } });
  assert.doesNotMatch(await inside.text(), /Signed in as/);
  const code = fields(page);
  code.set('code', '000000');
  assert.equal((await post('/sign-in/code', code, pending)).status, 401);
  const step = Math.floor(Date.now() / TOTP_STEP_MS);
  code.set('code', totpCode(new Secret('totp', SECRET), step));
  const right = await post('/sign-in/code', code, pending);
  assert.equal(right.status, 303);
  const session = cookiesOf(right);
  const console = await fetch(`${origin}/console`, { headers: { cookie: session } });
  assert.match(await console.text(), /Signed in as/);
});

test('an invalid NOTES_TOTP is a problem, never no second factor', () => {
  for (const totp of ['short', 'no base32!', 'env:NOT_SET']) {
    const { config, problems } = readNotesConfig({
      ...notesEnvironment('/data'),
      NOTES_TOTP: totp,
    });
    assert.equal(config, undefined);
    assert.deepEqual(
      problems.map(({ key }) => key),
      ['NOTES_TOTP'],
    );
  }
});
