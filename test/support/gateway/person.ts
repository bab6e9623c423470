/** A person in front of a browser without script: signs in to the pages of a server and posts forms. */
import assert from 'node:assert/strict';
import { cookiesOf } from '../mcp/client.ts';

export interface Person {
  /** Opens a page of the server; the status and the text. */
  open(url: string): Promise<{ status: number; text: string }>;
  /** Opens the page, and posts its first form with these fields; the status. */
  post(url: string, fields: Readonly<Record<string, string>>): Promise<number>;
}

export async function signInPerson(base: string, name: string, password: string): Promise<Person> {
  const shown = await fetch(`${base}/sign-in`);
  const form = hiddenFields(await shown.text());
  form.set('username', name);
  form.set('password', password);
  const answer = await fetch(`${base}/sign-in`, {
    method: 'POST',
    body: form,
    headers: { cookie: cookiesOf(shown), origin: base },
    redirect: 'manual',
  });
  assert.equal(answer.status, 303, await answer.text());
  const headers = { cookie: cookiesOf(answer), origin: base };
  const open = async (url: string) => {
    const page = await fetch(url, { headers, redirect: 'manual' });
    return { status: page.status, text: await page.text() };
  };
  return {
    open,
    post: async (url, fields) => {
      const { status, text } = await open(url);
      assert.equal(status, 200, text);
      const body = hiddenFields(text);
      for (const [field, value] of Object.entries(fields)) body.set(field, value);
      const posted = await fetch(url, { method: 'POST', body, headers, redirect: 'manual' });
      await posted.arrayBuffer();
      return posted.status;
    },
  };
}

function hiddenFields(page: string): URLSearchParams {
  const hidden = /<input[^>]*type="hidden"[^>]*name="([^"]+)"[^>]*value="([^"]*)"/g;
  const fields = [...page.matchAll(hidden)].map(
    ([, name, value]) => [name!, value!] as [string, string],
  );
  return new URLSearchParams(fields);
}
