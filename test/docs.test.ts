/**
 * The documents say what is so: every test that conformance.md names exists under that name,
 * every link leads somewhere, and the reference leaves out no key, code or event of the sources.
 */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: a source in a string is looked at
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { REFUSAL_STATUS } from '../src/gateway/refusal.ts';

const ROOT = new URL('../', import.meta.url).pathname;
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const DOCUMENTS = readdirSync(join(ROOT, 'docs')).map((name) => `docs/${name}`);

/** A row of a table of conformance.md: the promise, and each file with the tests named of it. */
interface Row {
  readonly promise: string;
  readonly shown: string;
  readonly files: readonly { readonly path: string; readonly names: readonly string[] }[];
}

function rowsOf(markdown: string): Row[] {
  const cells = markdown
    .split('\n')
    .filter((line) => line.startsWith('| ') && line !== '| promise | shown by |')
    .map((line) => line.slice(2, -2).split(' | '));
  return cells.map((row) => {
    assert.equal(row.length, 2, `a row has two cells: ${row.join(' | ')}`);
    const [promise, shown] = row as [string, string];
    const files = shown.split(/(?=`(?:src|test)\/)/).map((part) => ({
      path: /^`([^`]+)`/.exec(part)?.[1] ?? '',
      names: [...part.matchAll(/"([^"]+)"/g)].map(([, name]) => name!.replaceAll('&quot;', '"')),
    }));
    return { promise, shown, files };
  });
}

/** The titles in a test file. What a title takes from elsewhere is matched by a group. */
function titlesOf(source: string): RegExp[] {
  const call =
    /(?<![.\w])(?:test|it|describe)\(\s*(?:'((?:\\.|[^'\\])*)'|"([^"]*)"|`((?:\\.|[^`\\])*)`|\w)/g;
  return [...source.matchAll(call)].map(([, single, double, template]) => {
    const plain = single?.replaceAll("\\'", "'") ?? double;
    if (plain !== undefined) return new RegExp(`^${RegExp.escape(plain)}$`);
    const parts = template === undefined ? ['', ''] : fixedParts(template);
    return new RegExp(`^${parts.map(RegExp.escape).join('(.*)')}$`);
  });
}

/** What stands around the `${}` of a template. */
function fixedParts(template: string): string[] {
  const parts = [''];
  let depth = 0;
  for (let at = 0; at < template.length; at++) {
    if (depth === 0 && template.startsWith('${', at)) {
      depth = 1;
      at += 1;
      parts.push('');
    } else if (depth === 0) parts.push(parts.pop()! + template[at]);
    else if (template[at] === '{') depth += 1;
    else if (template[at] === '}') depth -= 1;
  }
  return parts;
}

/** Whether a file has a test of that name; `…` in it stands for what differs from row to row. */
function hasTest(source: string, name: string): boolean {
  const isRow = (text: string) => new RegExp(`['"\`]${RegExp.escape(text)}['"\`]`).test(source);
  return titlesOf(source).some((title) => {
    const found = title.exec(name)?.slice(1);
    return found?.every((text) => text === '…' || isRow(text));
  });
}

const anchorsOf = (markdown: string) =>
  [...markdown.matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

describe('a name', () => {
  const source = [
    "describe('a suite', () => {",
    "for (const [what] of [['one row']]) test(`refused: ${what} of ${{ a: 1 }.a}`, run);",
    "it(\n  'it\\'s so', run); test(where, run); /x/.test('no test');",
  ].join('\n');
  for (const name of [
    'a suite',
    "it's so",
    'refused: … of …',
    'refused: one row of …',
    'one row',
  ]) {
    test(`is found: ${name}`, () => assert.equal(hasTest(source, name), true));
  }
  for (const name of ['a suit', 'suite', 'refused: one of …', 'refused:', 'another row']) {
    test(`is not found: ${name}`, () => assert.equal(hasTest(source, name), false));
  }
});

describe('conformance.md', () => {
  const rows = rowsOf(read('docs/conformance.md'));

  test('has hundreds of rows, and each says by what it is shown', () => {
    assert.ok(rows.length > 250, `${rows.length} rows`);
    for (const { promise, shown, files } of rows) {
      const isNamed = files.every(({ path, names }) => path !== '' && names.length > 0);
      assert.ok(isNamed || shown.startsWith('not shown: '), `${promise}: ${shown}`);
    }
  });

  const named = new Map<string, Set<string>>();
  for (const { path, names } of rows.flatMap(({ files }) => files)) {
    if (path) named.set(path, new Set([...(named.get(path) ?? []), ...names]));
  }
  for (const [path, names] of named) {
    test(`names tests that ${path} has`, () => {
      assert.ok(existsSync(join(ROOT, path)), `${path} is missing`);
      const source = read(path);
      const has = path.endsWith('.test.ts')
        ? hasTest
        : (text: string, part: string) => text.includes(part);
      assert.deepEqual(
        [...names].filter((name) => !has(source, name)),
        [],
      );
    });
  }
});

describe('links', () => {
  for (const document of DOCUMENTS) {
    test(`of ${document} lead somewhere`, () => {
      const text = read(document).replace(/^```[\s\S]*?^```/gm, '');
      const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target!);
      const dead = targets.filter((target) => {
        if (/^[a-z]+:/.test(target)) return false;
        const [file = '', anchor] = target.split('#');
        const path = file ? join(dirname(document), file) : document;
        if (!existsSync(join(ROOT, path))) return true;
        return anchor !== undefined && !anchorsOf(read(path)).includes(anchor);
      });
      assert.deepEqual(dead, []);
    });
  }
});

describe('gateway.md', () => {
  const reference = read('docs/gateway.md');
  const code = new Set(
    [...reference.matchAll(/`([^`\n]+)`/g)].flatMap(([, span]) => span!.match(/\w+/g) ?? []),
  );

  test('has every error code with its status', () => {
    const missing = Object.entries(REFUSAL_STATUS).filter(
      ([name, status]) => !reference.includes(`| \`${name}\` | ${status} |`),
    );
    assert.deepEqual(missing, []);
  });

  test('has every key of the configuration', () => {
    const folder = 'src/gateway/config';
    const readers = readdirSync(join(ROOT, folder)).filter((name) => /^read-.*\.ts$/.test(name));
    const lists = readers.flatMap((name) => [
      ...read(`${folder}/${name}`).matchAll(/(?:\.fields\(|const KEYS = )\[([^\]]+)\]/g),
    ]);
    const keys = lists.flatMap(([, list]) =>
      [...list!.matchAll(/'(\w+)'/g)].map(([, key]) => key!),
    );
    assert.ok(keys.length > 30, `${keys.length} keys`);
    assert.deepEqual(
      keys.filter((key) => !code.has(key)),
      [],
    );
  });

  /** Debug lines are for whoever looks for a fault; they are no promise. */
  test('has every event above the level debug', () => {
    const sources = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' });
    const calls = sources
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
      .flatMap((name) => [
        ...read(`src/${name}`).matchAll(
          /log\.(?:(?:info|warn|error)\(|always\([^;]*?,)\s*'(\w+)'/g,
        ),
      ]);
    const events = new Set(calls.map(([, event]) => event!));
    assert.ok(events.size >= 12, `${[...events]}`);
    assert.deepEqual(
      [...events].filter((event) => !code.has(event)),
      [],
    );
  });
});
