/**
 * `/fetch?url=http://169.254.169.254/…`: the proxy that an attacker hopes to steer at a cloud's
 * metadata service. It answers as if the connection had failed and contacts nobody. It fires
 * only for a metadata address or name, in whatever spelling, and says which in its canonical
 * form alone: nothing the caller wrote comes back.
 */
import { type Answer, JSON_TYPE } from '../kit/answer.ts';
import type { Decoy } from '../kit/decoy.ts';
import { type MetadataTarget, metadataTarget } from '../kit/metadata-target.ts';

const PATHS = new Set(['/fetch', '/proxy', '/api/fetch', '/api/proxy']);
const PARAMETERS = new Set(['url', 'uri', 'path', 'dest']);

export function ssrfMetadataProbe(): Decoy {
  return {
    methods: ['GET'],
    match: ({ path, query }) => {
      if (!PATHS.has(path) || query === '') return undefined;
      for (const [name, value] of new URLSearchParams(query)) {
        if (!PARAMETERS.has(name.toLowerCase())) continue;
        const target = metadataTarget(value);
        if (target) return { tag: 'ssrf-metadata-probe', answer: () => connectionError(target) };
      }
      return undefined;
    },
  };
}

function connectionError(target: MetadataTarget): Answer {
  const { host, isName, port } = target;
  const [code, message] = isName
    ? ['ENOTFOUND', `getaddrinfo ENOTFOUND ${host}`]
    : ['ECONNREFUSED', `connect ECONNREFUSED ${host}:${port}`];
  const body = JSON.stringify({ error: 'Bad Gateway', code, message });
  const headers = ['Content-Type', JSON_TYPE];
  return { status: 502, headers, body, honeytokens: 0, facts: { 'ssrf.target': host } };
}
