/**
 * `/fetch?url=http://169.254.169.254/…`: the proxy that an attacker hopes to steer at a cloud's
 * metadata service. It answers as if the connection had failed and contacts nobody. It fires
 * only for a metadata address or name, in whatever spelling, and says which in its canonical
 * form alone: nothing the caller wrote comes back.
 */
import { type Answer, JSON_TYPE } from '../kit/answer.ts';
import { cwe, METADATA_API } from '../kit/catalogue-entry.ts';
import type { Decoy, Kind } from '../kit/decoy.ts';
import { type MetadataTarget, metadataTarget } from '../kit/metadata-target.ts';

const TAG = 'ssrf-metadata-probe';
const PATHS = ['/fetch', '/proxy', '/api/fetch', '/api/proxy'];
const PARAMETERS = new Set(['url', 'uri', 'path', 'dest']);

export const ssrfMetadataProbe: Kind = {
  tag: TAG,
  category: 'ssrf',
  intention: "read a cloud machine's credentials through a proxy that fetches anything",
  technique: METADATA_API,
  references: [cwe(918)],
  corpus: PATHS.map((path) => ({
    target: `${path}?url=http://169.254.169.254/latest/meta-data/`,
    status: 502,
    expect: /connect ECONNREFUSED 169\.254\.169\.254:80/,
  })),
  create,
};

function create(): Decoy {
  return {
    methods: ['GET'],
    match: ({ path, query }) => {
      if (!PATHS.includes(path) || query === '') return undefined;
      for (const [name, value] of new URLSearchParams(query)) {
        if (!PARAMETERS.has(name.toLowerCase())) continue;
        const target = metadataTarget(value);
        if (target) return { tag: TAG, answer: () => connectionError(target) };
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
