/**
 * The notes with the variables that the deployment files give them: `notes validate` is asked with
 * exactly those. Only the public name, the data directory and the place of the secrets are put in.
 */
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { parse } from 'yaml';
import { manifestsOf } from './support/deploy/kubernetes-rules.ts';
import { read } from './support/deploy/names.ts';
import { valuesOf } from './support/deploy/unit-rules.ts';
import { openDirectory, put } from './support/http/reverse-proxy.ts';
import { runNotes } from './support/notes/notes.ts';

interface Given {
  readonly env: Readonly<Record<string, string>>;
  /** The files that are there, by the path under which the variables name them. */
  readonly files: readonly string[];
  /** Where the volume is, or what the unit calls the data directory. */
  readonly data: string;
}

// biome-ignore lint/suspicious/noExplicitAny: the shape is what the test looks at.
type Any = any;

function ofCompose(): Given {
  const { environment, secrets, volumes } = parse(read('deploy/compose.yaml'), { merge: true })
    .services.notes;
  return {
    env: { ...environment, NOTES_PUBLIC_URL: put(environment.NOTES_PUBLIC_URL, [HOST]) },
    files: secrets.map((name: string) => `/run/secrets/${name}`),
    data: volumes[0].split(':')[1],
  };
}
// biome-ignore lint/suspicious/noTemplateCurlyInString: it is so in the file
const HOST = ['${HOST_NOTES}', 'notes.example.com'] as const;

function ofKubernetes(): Given {
  const manifests = manifestsOf(read('deploy/kubernetes.yaml'));
  const isNotes = ({ kind, metadata }: Any) => kind === 'Deployment' && metadata.name === 'notes';
  const { containers, volumes } = manifests.find(isNotes).spec.template.spec;
  const [{ env, volumeMounts }] = containers;
  const mounted = (name: string) =>
    volumeMounts.find((mount: Any) => mount.name === name).mountPath;
  const { items } = volumes.find(({ name }: Any) => name === 'secrets').secret;
  return {
    env: Object.fromEntries(env.map(({ name, value }: Any) => [name, value])),
    files: items.map(({ path }: Any) => `${mounted('secrets')}/${path}`),
    data: mounted('data'),
  };
}

function ofSystemd(): Given {
  const unit = valuesOf(read('deploy/systemd/gatehouse-notes.service'));
  // What docs/deploy.md writes into the file that the unit reads.
  const [, file] = /> \/etc\/gatehouse\/notes\.env <<'END'\n([\s\S]*?)END\n/.exec(
    read('docs/deploy.md'),
  )!;
  const assignments = [...unit.get('Environment')!.join(' ').split(' '), ...file!.split('\n')];
  const pairs = assignments.filter(Boolean).map((pair) => pair.split(/=(.*)/s).slice(0, 2));
  const credentials = unit.get('LoadCredential')!.map((entry) => `%d/${entry.split(':')[0]}`);
  const env = Object.fromEntries(pairs);
  return { env, files: credentials, data: `/var/lib/${unit.get('StateDirectory')![0]}` };
}

const SHOWN = [/^git as notes /m, /^metrics :9090$/m, /^decoys on$/m];
const CASES: [where: string, given: Given, shown: RegExp[]][] = [
  ['compose.yaml', ofCompose(), SHOWN],
  ['kubernetes.yaml', ofKubernetes(), SHOWN],
  ['gatehouse-notes.service', ofSystemd(), [/^git off/m, /^listen 127\.0\.0\.1:2020$/m]],
];

describe('the variables of the notes in', () => {
  let directory: string;
  let hash: string;
  before(async () => {
    directory = openDirectory('deploy-notes-');
    hash = (await runNotes(['hashpw'], { input: 'correct horse battery\n' })).stdout;
  });
  after(() => rmSync(directory, { recursive: true, force: true }));

  /** `validate` with these variables, in a separate place for secrets and data. */
  async function validate({ env, files, data }: Given) {
    const root = join(directory, String(places++));
    const moved = (path: string) => join(root, path.replace('%d', 'credentials'));
    for (const path of files) {
      mkdirSync(join(moved(path), '..'), { recursive: true });
      writeFileSync(moved(path), path.endsWith('password') ? hash : `${'0'.repeat(64)}\n`);
    }
    mkdirSync(moved(data), { recursive: true });
    chmodSync(moved(data), 0o700);
    const placed = Object.entries(env).map(([name, value]) => [
      name,
      value.replace(/^file:(.*)$/, (_, path) => `file:${moved(path)}`),
    ]);
    // In the image, the data directory is the default of the program.
    assert.equal(env.NOTES_DATA ?? '/data', data);
    return runNotes(['validate'], {
      env: { ...Object.fromEntries(placed), NOTES_DATA: moved(data) },
    });
  }
  let places = 0;

  for (const [where, given, shown] of CASES) {
    test(`${where} validate, and every file they name is given`, async () => {
      const { code, stdout, stderr } = await validate(given);
      assert.equal(code, 0, stdout + stderr);
      assert.equal(stderr, '', 'no warning');
      assert.match(stdout, /^OK\npublic_url https:\/\/notes\.example\.com$/m);
      assert.match(stdout, /^user alice, password .*bcrypt/m);
      for (const line of shown) assert.match(stdout, line);
    });

    test(`${where} would be refused if one file were missing`, async () => {
      for (const gone of given.files) {
        const files = given.files.filter((path) => path !== gone);
        const { code, stdout, stderr } = await validate({ ...given, files });
        assert.equal(code, 1, `${gone} is not needed`);
        assert.match(stdout + stderr, new RegExp(gone.split('/').at(-1)!));
      }
    });
  }

  test('a file would be found out if one were misspelt', async () => {
    const given = ofCompose();
    const env = { ...given.env, NOTES_METRIC_LISTEN: ':9090' };
    const { stdout, stderr } = await validate({ ...given, env });
    assert.match(stderr + stdout, /NOTES_METRIC_LISTEN.*NOTES_METRICS_LISTEN/);
  });
});
