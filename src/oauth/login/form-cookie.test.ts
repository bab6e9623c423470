import assert from 'node:assert/strict';
import test from 'node:test';
import Fastify from 'fastify';
import { FormCookies } from './form-cookie.ts';

test('where the server is reached by https the cookie has the __Host- prefix and is secure', async () => {
  const cookies = new FormCookies('https://gw.example');
  const app = Fastify();
  app.get('/', async (_request, reply) => cookies.set(reply));
  const cookie = (await app.inject('/')).headers['set-cookie'] as string;
  assert.match(
    cookie,
    /^__Host-gatehouse-form-\d+=[\w-]{22}; Max-Age=3600; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
  );
});
