import assert from 'node:assert/strict';
import { test } from 'node:test';
import { propertyRuns } from '../../../test/support/property-runs.ts';
import { parseAddress } from '../../core/net/address.ts';
import { Secret } from '../../core/secrets/secret.ts';
import { CORPUS } from '../catalogue.ts';
import { Decoys } from '../decoys.ts';
import { Draw } from './draw.ts';
import { createPersona } from './persona.ts';

const KEYS = Array.from({ length: 300 }, (_, index) => {
  return new Secret('decoys key', `a key for persona ${index}`);
});
const personas = KEYS.map((key) => createPersona(new Draw(key)));

test('a key always gives the same persona', () => {
  assert.deepEqual(createPersona(new Draw(KEYS[0]!)), personas[0]);
});

test('hardly any two personas share a name, and none shares everything', () => {
  assert.ok(new Set(personas.map(({ company }) => company)).size > 295);
  assert.equal(new Set(personas.map((persona) => JSON.stringify(persona))).size, personas.length);
});

test('every persona has enough of everything, and different names for different things', () => {
  for (const { mcp, models } of personas) {
    for (const list of [mcp.tools, mcp.prompts, mcp.resources]) {
      assert.ok(list.length >= 2 && list.length <= 4);
    }
    assert.ok(models.local.length >= 3 && models.running <= models.local.length);
    assert.equal(new Set(models.local.map(({ name }) => name)).size, models.local.length);
    assert.equal(new Set(models.served.map(({ id }) => id)).size, models.served.length);
  }
});

test('no text of any persona is over 8 KiB', () => {
  const client = { address: parseAddress('2001:db8::1')!, learntFrom: 'socket' } as const;
  const lists = ['tools/list', 'prompts/list', 'resources/list', 'server/discover'].map((method) =>
    JSON.stringify({ jsonrpc: '2.0', id: 'x'.repeat(128), method }),
  );
  for (const key of KEYS.slice(0, propertyRuns(KEYS.length))) {
    const decoys = new Decoys({ key, site: 'decoys' });
    for (const { method, target, body = '' } of CORPUS) {
      const [path = '', query = ''] = target.toLowerCase().split('?');
      const match = decoys.find({ method, path, query, headers: {}, client, day: 20_000 });
      for (const text of match?.readsBody ? [body, ...lists] : ['']) {
        const answer = match!.answer(text);
        const limit = answer.isBinary ? 262_144 : 8_192;
        assert.ok(Buffer.byteLength(answer.body) <= limit, `${path}: ${answer.body.length}`);
      }
    }
  }
});

test('the tier of every persona is one of its subscription', () => {
  for (const { subscription, rateLimitTier } of personas) {
    const expected =
      subscription === 'max' ? /^default_claude_max_(?:5|20)x$/ : /^default_claude_ai$/;
    assert.match(rateLimitTier, expected, subscription);
  }
});

test('the size of a model fits its parameters and its quantization', () => {
  const bits: Readonly<Record<string, readonly [number, number]>> = {
    Q4_0: [4.3, 5.2],
    Q4_K_M: [4.6, 6.7],
    MXFP4: [4.6, 5.5],
    F16: [15.8, 16.2],
  };
  for (const { local } of personas.map(({ models }) => models)) {
    for (const { sizeBytes, parameterSize, quantization } of local) {
      const each =
        (sizeBytes * 8) /
        (Number.parseFloat(parameterSize) * (/M$/.test(parameterSize) ? 1e6 : 1e9));
      const [from, to] = bits[quantization]!;
      assert.ok(Number.isInteger(sizeBytes) && each > from && each < to, `${quantization} ${each}`);
    }
  }
});
