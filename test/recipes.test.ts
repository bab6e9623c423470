/**
 * The recipes hold: `gateway validate` accepts every configuration in the book, and each request
 * in the table of a recipe meets the target, or the refusal, that the table names.
 */
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import type { User } from '../src/gateway/config/config.ts';
import { parseConfig } from '../src/gateway/config/read-config.ts';
import { Refusal } from '../src/gateway/request/refusal.ts';
import { parseRequestUrl } from '../src/gateway/request/request-url.ts';
import { checkMethod } from '../src/gateway/steps/check-method.ts';
import { matchTarget } from '../src/gateway/steps/match-target.ts';
import { fencesOf } from './support/docs/book.ts';
import { runHere } from './support/gateway/command-here.ts';
import { runGateway } from './support/gateway/gateway.ts';

const ROOT = new URL('../', import.meta.url).pathname;
const RECIPES = 'docs/recipes';
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const pages = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md'))
  .map((name) => `docs/${name}`);
const recipes = pages.filter((page) => page.startsWith(RECIPES) && !page.endsWith('README.md'));
const directory = mkdtempSync(join(tmpdir(), 'recipes-'));
after(() => rmSync(directory, { recursive: true, force: true }));

const yamlOf = (page: string) =>
  fencesOf(read(page))
    .filter(({ kind }) => kind === 'yaml')
    .map(({ text }) => text);

const PRIVATE_KEY = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
  ...{ type: 'pkcs8', format: 'pem' },
}) as string;

/** A value for each variable that a configuration names, as long as tokens are. */
const environmentOf = (text: string) =>
  Object.fromEntries(
    [...text.matchAll(/\benv:(\w+)/g)].map(([, name]) => [
      name!,
      /PRIVATE_KEY$/.test(name!) ? PRIVATE_KEY : `${name}-4f9a1c7e2b8d6035`,
    ]),
  );

describe('gateway validate accepts', () => {
  for (const page of pages) {
    for (const [index, text] of yamlOf(page).entries()) {
      test(`configuration ${index + 1} of ${page}, without a warning`, async () => {
        const file = join(directory, `${index}.yaml`);
        writeFileSync(file, text);
        const ended = await runHere(['validate', '--no-exec', file], environmentOf(text));
        assert.deepEqual([ended.code, ended.stderr], [0, ''], ended.stdout + ended.stderr);
      });
    }
  }

  test('and a configuration with a mistake is refused', async () => {
    const file = join(directory, 'broken.yaml');
    const text = yamlOf(`${RECIPES}/github.md`)[0]!.replace('methods:', 'method:');
    writeFileSync(file, text);
    assert.equal((await runGateway(['validate', file], { env: environmentOf(text) })).code, 1);
  });
});

const ROW = /^\| `([A-Z]+) (https?:[^`]+)` \| (?:sent to )?`([^`]+)` \|$/gm;

/** The target that a request would be sent to, or the code that it is refused with. */
function outcome(user: User, method: string, raw: string): string {
  const url = parseRequestUrl(raw);
  assert.ok(!('problem' in url), raw);
  try {
    const target = matchTarget(user, url);
    checkMethod({ method, url }, target);
    return target!.id;
  } catch (error) {
    if (error instanceof Refusal) return error.code;
    throw error;
  }
}

describe('the table of', () => {
  for (const page of recipes) {
    test(`${page} is true, and shows what is sent and what is refused`, () => {
      const [text] = yamlOf(page);
      const { config } = parseConfig(text!, page, { env: environmentOf(text!) });
      const user = config!.users.get('alice')!;
      const rows = [...read(page).matchAll(ROW)].map(([, method, url, said]) => ({
        request: `${method} ${url}`,
        said: said!,
        is: outcome(user, method!, url!),
      }));
      for (const { request, said, is } of rows) assert.equal(is, said, request);
      const ids = user.targets.map(({ id }) => id);
      for (const id of ids)
        assert.ok(
          rows.some(({ said }) => said === id),
          `no row for ${id}`,
        );
      assert.ok(
        rows.some(({ said }) => !ids.includes(said)),
        'no row is refused',
      );
    });
  }
});

test('every recipe is in the list of recipes, and says what is not supported', () => {
  const list = read(`${RECIPES}/README.md`);
  assert.ok(recipes.length >= 10, `${recipes.length} recipes`);
  for (const page of recipes) {
    assert.ok(list.includes(`](${page.slice(RECIPES.length + 1)})`), page);
    assert.match(read(page), /^## The token$[\s\S]*^## Not supported$/m, page);
  }
});
