import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EnvironmentReader } from '../core/config/environment.ts';
import { formatProblem } from '../core/config/problems.ts';
import { readEmbeddings } from './config-embeddings.ts';

function read(env: Record<string, string>) {
  const reader = new EnvironmentReader(env);
  const settings = readEmbeddings(reader);
  const { problems, warnings } = reader;
  return {
    settings,
    problems: problems.map(formatProblem),
    warnings: warnings.map(formatProblem),
  };
}

test('search by meaning is off by default, and other settings do nothing then', () => {
  assert.deepEqual(read({}), { settings: undefined, problems: [], warnings: [] });
  const { settings, warnings } = read({ NOTES_EMBEDDINGS_EXCLUDE: 'Private/**' });
  assert.equal(settings, undefined);
  assert.match(
    warnings.join(),
    /NOTES_EMBEDDINGS_EXCLUDE.*does nothing while NOTES_EMBEDDINGS is off/,
  );
});

test('local takes the packaged model or a folder', () => {
  assert.deepEqual(read({ NOTES_EMBEDDINGS: 'local' }).settings, {
    kind: 'local',
    folder: undefined,
    exclude: [],
  });
  const own = { NOTES_EMBEDDINGS: 'local', NOTES_EMBEDDINGS_MODEL: '/models/bge' };
  assert.deepEqual(read(own).settings, { kind: 'local', folder: '/models/bge', exclude: [] });
});

test('a URL takes a model, a key and globs', () => {
  const { settings, problems } = read({
    NOTES_EMBEDDINGS: 'https://api.openai.com/v1/',
    NOTES_EMBEDDINGS_MODEL: 'text-embedding-3-small',
    NOTES_EMBEDDINGS_KEY: 'env:OPENAI_KEY',
    NOTES_EMBEDDINGS_EXCLUDE: 'Private/**, *.draft.md',
    OPENAI_KEY: 'sk-hidden-key',
  });
  assert.deepEqual(problems, []);
  assert.ok(settings?.kind === 'remote');
  assert.equal(settings.url, 'https://api.openai.com/v1');
  assert.deepEqual(settings.exclude, ['Private/**', '*.draft.md']);
  assert.ok(settings.key?.equals('sk-hidden-key'));
});

const URL_SET = { NOTES_EMBEDDINGS: 'http://127.0.0.1:11434/v1', NOTES_EMBEDDINGS_MODEL: 'm' };
const REFUSED: readonly (readonly [env: Record<string, string>, said: RegExp])[] = [
  [{ NOTES_EMBEDDINGS: 'yes' }, /NOTES_EMBEDDINGS: "yes" is not off, local, or the base URL/],
  [{ ...URL_SET, NOTES_EMBEDDINGS: 'http://8.8.8.8/v1' }, /unencrypted to 8\.8\.8\.8; write https/],
  [{ NOTES_EMBEDDINGS: 'http://127.0.0.1/v1' }, /NOTES_EMBEDDINGS_MODEL: is missing; set it to/],
  [{ NOTES_EMBEDDINGS: 'local', NOTES_EMBEDDINGS_MODEL: 'bge' }, /"bge" is not the absolute path/],
  [{ ...URL_SET, NOTES_EMBEDDINGS_KEY: 'two words' }, /NOTES_EMBEDDINGS_KEY: cannot be sent/],
  [{ ...URL_SET, NOTES_EMBEDDINGS_EXCLUDE: 'x,'.repeat(51) }, /more than 50 globs/],
];
for (const [env, said] of REFUSED) {
  test(`refused: ${Object.values(env).join(' ').slice(0, 60)}`, () => {
    const { settings, problems } = read(env);
    assert.match(problems.join('\n'), said);
    if (!env.NOTES_EMBEDDINGS_EXCLUDE) assert.equal(settings, undefined);
  });
}

test('a URL with a password in it is refused without showing it', () => {
  const { problems } = read({ ...URL_SET, NOTES_EMBEDDINGS: 'https://user:hidden@example.com/v1' });
  assert.equal(problems.length, 1);
  assert.doesNotMatch(problems.join(), /hidden/);
});
