/** What the claimed model servers answer beside their models, as their published source does. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startDecoys } from './support.ts';

const CASES = {
  ollama: [
    ['GET', '/api/chat', '', 405, '405 method not allowed'],
    ['POST', '/api/chat', '', 400, '{"error":"missing request body"}'],
    ['POST', '/api/chat', '{}', 400, '{"error":"model is required"}'],
    ['POST', '/api/generate', '{}', 404, '{"error":"model \'\' not found"}'],
    [
      'POST',
      '/v1/chat/completions',
      '{"model":"x"}',
      404,
      '{"error":{"message":"model \'x\' not found","type":"not_found_error","param":null,"code":null}}',
    ],
    [
      'GET',
      '/v1/models',
      '',
      200,
      /^\{"object":"list","data":\[\{"id":"[\w.:-]+","object":"model","created":\d+,"owned_by":"library"\}/,
    ],
    ['GET', '/nothing', '', 404, '404 page not found'],
  ],
  vllm: [
    ['GET', '/v1/chat/completions', '', 405, '{"detail":"Method Not Allowed"}'],
    ['GET', '/version', '', 200, /^\{"version":"0\.\d+\.[\w.]+"\}$/],
    ['GET', '/load', '', 200, '{"server_load":0}'],
    ['GET', '/health', '', 200, ''],
    ['POST', '/v1/completions', '{"model":"x"}', 404, /The model `x` does not exist\./],
    ['GET', '/v1/models', '', 200, /"owned_by":"vllm"/],
    ['GET', '/nothing', '', 404, '{"detail":"Not Found"}'],
  ],
} as const;

for (const server of ['ollama', 'vllm'] as const) {
  describe(`decoys that claim to be ${server}`, async () => {
    const decoys = await startDecoys({ persona: { server } });
    for (const [method, target, body, status, expected] of CASES[server]) {
      test(`${method} ${target} ${body}`, async () => {
        const reply = await decoys.ask(target, { method, ...(body && { body }) });
        assert.equal(reply.status, status);
        if (typeof expected === 'string') assert.equal(reply.body, expected);
        else assert.match(reply.body, expected);
        if (status === 405) assert.equal(reply.headers.allow, 'POST');
      });
    }
    test('and end', () => decoys.close());
  });
}
