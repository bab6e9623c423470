/**
 * `/v2/`: a container registry that anybody can pull from: one image, whose environment holds a honeytoken
 * and a database password. Digests are those of the bytes, so that clients accept them.
 */
import { hash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { Answer } from '../kit/answer.ts';
import { cwe, VULNERABILITY_SCAN } from '../kit/catalogue-entry.ts';
import type { Decoy, Kind, Kit } from '../kit/decoy.ts';
import type { Probe } from '../kit/probe.ts';

const TAG = 'image-registry';
const MANIFEST_TYPE = 'application/vnd.docker.distribution.manifest.v2+json';
const CONFIG_TYPE = 'application/vnd.docker.container.image.v1+json';
const LAYER_TYPE = 'application/vnd.docker.image.rootfs.diff.tar.gzip';
const VERSION = ['Docker-Distribution-Api-Version', 'registry/2.0'];
const JSON_UTF8 = 'application/json; charset=utf-8';

export const imageRegistry: Kind = {
  tag: TAG,
  category: 'service-discovery',
  intention: 'pull private images and read the secrets in them',
  technique: VULNERABILITY_SCAN,
  references: [cwe(306)],
  corpus: [{ target: '/v2/_catalog', expect: /^\{"repositories":\["[a-z0-9]+\/core"\]\}\n$/ }],
  create,
};

function create({ draw, persona, tokens }: Kit): Decoy {
  const repository = `/v2/${persona.company}/core`;
  const created = new Date(persona.foundedMs + draw.number('image created', 1e11)).toISOString();
  const layer = gzipSync(tarOf('app/VERSION', `${persona.title} core\n`));
  const layerDigest = digestOf(layer);
  return {
    methods: ['GET'],
    match: (probe) => {
      const { path } = probe;
      if (!path.startsWith('/v2')) return undefined;
      const answer = answerTo(path, probe);
      return answer && { tag: TAG, answer };
    },
  };

  function answerTo(path: string, probe: Probe): (() => Answer) | undefined {
    if (path === '/v2/' || path === '/v2') return () => json('{}');
    if (path === '/v2/_catalog') {
      return () => json(`{"repositories":["${persona.company}/core"]}\n`);
    }
    if (!path.startsWith(`${repository}/`)) return undefined;
    const rest = path.slice(repository.length + 1);
    if (rest === 'tags/list') {
      return () => json(`{"name":"${persona.company}/core","tags":["latest","2.4.1"]}\n`);
    }
    const { config, manifest } = image(probe);
    const configDigest = digestOf(Buffer.from(config));
    switch (rest) {
      case 'manifests/latest':
      case 'manifests/2.4.1':
      case `manifests/${digestOf(Buffer.from(manifest))}`:
        return () => blob(Buffer.from(manifest), MANIFEST_TYPE, 0);
      case `blobs/${configDigest}`:
        return () => blob(Buffer.from(config), 'application/octet-stream', 2);
      case `blobs/${layerDigest}`:
        return () => blob(layer, 'application/octet-stream', 0);
      default:
        return undefined;
    }
  }

  function image({ client, day }: Probe): { config: string; manifest: string } {
    const token = tokens.issue('registryToken', client.address, day);
    const password = tokens.seal('configDatabase', client.address, day);
    const { user, host, name } = persona.database;
    const config = JSON.stringify({
      architecture: 'amd64',
      config: {
        Env: [
          'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
          `DATABASE_URL=postgresql://${user}:${password}@${host}:5432/${name}`,
          `API_TOKEN=${token}`,
        ],
        Cmd: ['node', '/app/server.js'],
        WorkingDir: '/app',
      },
      created,
      os: 'linux',
      rootfs: {
        type: 'layers',
        diff_ids: [digestOf(tarOf('app/VERSION', `${persona.title} core\n`))],
      },
      history: [{ created, created_by: 'COPY app /app # buildkit' }],
    });
    const about = (mediaType: string, bytes: Buffer) => ({
      mediaType,
      size: bytes.length,
      digest: digestOf(bytes),
    });
    const manifest = JSON.stringify(
      {
        schemaVersion: 2,
        mediaType: MANIFEST_TYPE,
        config: about(CONFIG_TYPE, Buffer.from(config)),
        layers: [about(LAYER_TYPE, layer)],
      },
      null,
      3,
    );
    return { config, manifest };
  }
}

function json(body: string): Answer {
  return { status: 200, headers: ['Content-Type', JSON_UTF8, ...VERSION], body, honeytokens: 0 };
}

function blob(bytes: Buffer, type: string, honeytokens: number): Answer {
  const digest = ['Docker-Content-Digest', digestOf(bytes), 'Etag', `"${digestOf(bytes)}"`];
  const headers = ['Content-Type', type, ...digest, 'Cache-Control', 'private', ...VERSION];
  return { status: 200, headers, body: bytes.toString('latin1'), isBinary: true, honeytokens };
}

function digestOf(bytes: Uint8Array): string {
  return `sha256:${hash('sha256', bytes)}`;
}

/** An archive of one file. */
function tarOf(name: string, content: string): Buffer {
  const header = Buffer.alloc(512);
  const fields: readonly (readonly [at: number, text: string])[] = [
    ...([
      [0, name],
      [100, '0000644\0'],
      [108, '0000000\0'],
      [116, '0000000\0'],
    ] as const),
    ...([
      [124, `${content.length.toString(8).padStart(11, '0')}\0`],
      [136, '00000000000\0'],
    ] as const),
    ...([
      [148, '        '],
      [156, '0'],
      [257, 'ustar\0'],
      [263, '00'],
    ] as const),
  ];
  for (const [at, text] of fields) header.write(text, at, 'latin1');
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  const data = Buffer.alloc(Math.ceil(content.length / 512) * 512);
  data.write(content, 0, 'latin1');
  return Buffer.concat([header, data, Buffer.alloc(1_024)]);
}
