/**
 * The documents say what is so: every test that conformance.md names exists under that name,
 * every link leads somewhere, and the reference leaves out no key, code or event of the sources.
 */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: a source in a string is looked at
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, test } from 'node:test';
import { REFUSAL_STATUS } from '../src/gateway/request/refusal.ts';
import { notesPrompts } from '../src/notes/prompts.ts';
import { notesResources } from '../src/notes/resources.ts';
import { runNotes } from './support/notes/notes.ts';
import { recordingLog } from './support/notes/notes-storage.ts';
import { notesBench } from './support/notes/notes-tools.ts';

const ROOT = new URL('../', import.meta.url).pathname;
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const isThere = (path: string) => existsSync(join(ROOT, path));
const DOCUMENTS = [
  ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md'],
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

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
    const files = shown.split(/(?=`(?:src|test|bench)\/)/).map((part) => ({
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

for (const [document, least] of [
  ['conformance.md', 250],
  ['conformance-notes.md', 120],
] as const) {
  describe(document, () => {
    const rows = rowsOf(read(`docs/${document}`));

    test('has hundreds of rows, and each says by what it is shown', () => {
      assert.ok(rows.length > least, `${rows.length} rows`);
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
        assert.ok(isThere(path), `${path} is missing`);
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
}

describe('links', () => {
  for (const document of DOCUMENTS) {
    test(`of ${document} lead somewhere`, () => {
      const text = read(document).replace(/^```[\s\S]*?^```/gm, '');
      const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target!);
      const dead = targets.filter((target) => {
        if (/^[a-z]+:/.test(target)) return false;
        const [file = '', anchor] = target.split('#');
        const path = file ? join(dirname(document), file) : document;
        if (!isThere(path)) return true;
        return anchor !== undefined && !anchorsOf(read(path)).includes(anchor);
      });
      assert.deepEqual(dead, []);
    });
  }
});

describe('files', () => {
  for (const document of DOCUMENTS) {
    test(`of the project that ${document} names exist`, () => {
      const named = read(document).matchAll(/`((?:bench|deploy|src|test|tools)\/[\w./-]+\.\w+)`/g);
      const missing = [...named].map(([, path]) => path!).filter((path) => !isThere(path));
      assert.deepEqual(missing, []);
    });
  }

  test('that were renamed would be missed', () => {
    assert.equal(isThere('test/docs.test.ts'), true);
    assert.equal(isThere('test/doc.test.ts'), false);
  });
});

/** The source files, without tests. */
const SOURCES = ['bin', 'src'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    .filter((path) => /(?<!\.test)\.ts$/.test(path)),
);
const partOf = (path: string) => path.replace('src/', '').split('/')[0]!;

describe('architecture.md', () => {
  const page = read('docs/explanation/architecture.md');

  test('has each source folder with its purpose, and no other', () => {
    const rows = tableOf(page, '| folder | purpose |');
    const folders = new Set(SOURCES.map(dirname).filter((folder) => folder !== 'bin'));
    folders.delete('src');
    assert.deepEqual(rows.map(([folder]) => folder!.slice(1, -1)).sort(), [...folders].sort());
    for (const [folder, purpose] of rows) assert.ok(purpose, folder);
  });

  test('shows each import between parts, and no other', () => {
    const [, picture] = /^## Imports\n\n```mermaid\n([\s\S]*?)^```$/m.exec(page)!;
    const shown = [...picture!.matchAll(/^ {2}(\w+) --> (\w+)$/gm)].map(([, from, to]) => [
      from,
      to,
    ]);
    const imports = SOURCES.flatMap((path) =>
      [...read(path).matchAll(/\b(?:from|import)\s*\(?\s*'(\.[^']*)'/g)].map(
        ([, target]) => `${partOf(path)} ${partOf(join(dirname(path), target!))}`,
      ),
    );
    const between = imports.filter((pair) => new Set(pair.split(' ')).size === 2);
    assert.deepEqual(shown.map((pair) => pair.join(' ')).sort(), [...new Set(between)].sort());
  });
});

describe('the map of README.md', () => {
  const [, map] = /^## Where things are\n\n```text\n([\s\S]*?)^```$/m.exec(read('README.md'))!;
  const lines = map!
    .trimEnd()
    .split('\n')
    .map((line) => /^(\S+?)\/? {2,}(.+)$/.exec(line)!.slice(1) as [string, string]);

  test('names only what is there', () => {
    const missing = lines.flatMap(([path, text]) => {
      const inside = [...text.matchAll(/\w[\w/-]*(?:\/|\.(?:ts|yaml)\b)/g)].map(([name]) =>
        join(path, name),
      );
      return [path, ...inside].filter((name) => !isThere(name));
    });
    assert.deepEqual(missing, []);
  });

  test('has every part of the sources and every folder of the repository', () => {
    const folders = readdirSync(ROOT, { withFileTypes: true })
      .filter(
        (entry) => entry.isDirectory() && !/^(\.|src$|node_modules$|dist$|data$)/.test(entry.name),
      )
      .map(({ name }) => name);
    const parts = readdirSync(join(ROOT, 'src'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => `src/${name}`);
    const shown = lines.map(([path]) => path);
    assert.deepEqual(
      [...folders, ...parts].filter((folder) => !shown.includes(folder)),
      [],
    );
  });
});

test('nothing cites a document that readers do not have', () => {
  const cited = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'docs', 'src', 'examples', 'deploy']
    .flatMap((path) =>
      path.endsWith('.md')
        ? [path]
        : readdirSync(join(ROOT, path), { recursive: true, withFileTypes: true })
            .filter((entry) => entry.isFile())
            .map((entry) => relative(ROOT, join(entry.parentPath, entry.name))),
    )
    .filter((path) => /\bdocuments? [123]\b/i.test(read(path)));
  assert.deepEqual(cited, []);
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
    const keys = readers.flatMap((name) => {
      const source = read(`${folder}/${name}`);
      const lists = [...source.matchAll(/\.fields\(\[([^\]]+)\]/g)];
      const tables = [...source.matchAll(/\.read\(\s*\{\n([\s\S]*?)\n\s*\}[,)]/g)];
      return [
        ...lists.flatMap(([, list]) => [...list!.matchAll(/'(\w+)'/g)]),
        ...tables.flatMap(([, table]) => [...table!.matchAll(/^\s*(\w+)(?=: )/gm)]),
      ].map(([, key]) => key!);
    });
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
      .filter((name) => !/^(decoys|notes)\//.test(name))
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

describe('notes.md', () => {
  const reference = read('docs/notes.md');
  const outsideBlocks = reference.replace(/^```[\s\S]*?^```/gm, '');
  const spans = (text: string) => [...text.matchAll(/`([^`\n]+)`/g)].map(([, span]) => span!);
  const sorted = (names: Iterable<string>) => [...new Set(names)].sort();
  const firstCells = (header: string) =>
    tableOf(reference, header).flatMap(([first]) => spans(first!));
  const sourcesOf = (...folders: string[]) =>
    folders.flatMap((folder) =>
      readdirSync(join(ROOT, 'src', folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
        .map((name) => read(`src/${folder}/${name}`)),
    );
  const found = (sources: readonly string[], pattern: RegExp) =>
    sorted(sources.flatMap((source) => [...source.matchAll(pattern)].map(([, name]) => name!)));

  const readers = ['', '-access', '-embeddings', '-git', '-keys'].map((name) =>
    read(`src/notes/config${name}.ts`),
  );
  const variables = found(readers, /'(NOTES_[A-Z_]*[A-Z])'/g);

  test('has every variable with its default, and no other', () => {
    const rows = tableOf(reference, '| variable | default | form and meaning |');
    const shown = new Map(rows.map(([name, fallback]) => [spans(name!)[0]!, fallback]));
    assert.ok(variables.length > 20, `${variables}`);
    assert.deepEqual(sorted(shown.keys()), variables);
    const help = read('src/notes/commands/cli.ts').matchAll(/(NOTES_\w+) \(([^ ;)]+)[;)]/g);
    const parsed = readers.flatMap((source) => [
      ...source.matchAll(/(?:reader\.(?!rotatedKey)\w+\(|reader, )'(NOTES_\w+)', '([^' ]+)'/g),
    ]);
    assert.ok(parsed.length >= 7, `${parsed.length} defaults`);
    for (const [, name, value] of [...help, ...parsed]) {
      assert.equal(shown.get(name!), `\`${value}\``, name);
    }
    const named = [...outsideBlocks.matchAll(/NOTES_[A-Z_]*[A-Z]/g)].map(([name]) => name);
    assert.deepEqual(sorted(named), variables);
  });

  test('and notes.env and the help have the same variables', () => {
    const example = [...read('examples/notes.env').matchAll(/^#?(NOTES_\w+)=\S+$/gm)];
    assert.deepEqual(sorted(example.map(([, name]) => name!)), variables);
    const help = [...read('src/notes/commands/cli.ts').matchAll(/\bNOTES_[A-Z_]*[A-Z]\b/g)];
    assert.deepEqual(sorted(help.map(([name]) => name)), variables);
  });

  test('has every command, and no other', async () => {
    const { stdout } = await runNotes(['help']);
    const commands = [...stdout.matchAll(/^ {2}(notes(?: \w+)?)(?= )/gm)].map(([, name]) => name!);
    const shown = firstCells('| command | what it does | exit code |').map(
      (span) => /^notes(?: \w+)?/.exec(span)![0],
    );
    assert.ok(commands.length >= 7, `${commands}`);
    assert.deepEqual(sorted(shown), sorted(commands));
  });

  test('has every tool with every argument and every value it may have, and no other', async (context) => {
    const { tools } = await notesBench(context);
    const rows = tableOf(reference, '| tool | arguments | result | own errors |');
    assert.deepEqual(sorted(rows.map(([name]) => spans(name!)[0]!)), sorted(tools.keys()));
    for (const [name, argumentsCell] of rows) {
      const tool = tools.get(spans(name!)[0]!)!;
      const { vault, ...properties } = (tool.inputSchema as JsonSchema).properties!;
      const isWithout = /vault_list|vault_create/.test(tool.name);
      assert.equal(vault === undefined, isWithout, tool.name);
      const words = Object.entries(properties).flatMap(([key, part]) => [key, ...wordsOf(part)]);
      assert.deepEqual(sorted(spans(argumentsCell!)), sorted(words), tool.name);
      const { limit } = properties;
      if (limit === undefined) continue;
      const said = `\`limit\` (${limit.default}, at most ${limit.maximum})`;
      assert.ok(argumentsCell!.includes(said), `${tool.name}: ${said}`);
    }
  });

  test('has no tool without a test file next to its source', async (context) => {
    const { tools } = await notesBench(context);
    const files = [...tools.keys()].map(
      (name) => `src/notes/tools/${name.replaceAll('_', '-')}.test.ts`,
    );
    assert.deepEqual(
      files.filter((file) => !isThere(file)),
      [],
    );
  });

  test('has every error code, and no other', () => {
    const unions = ['tool-kit/notes', 'files/storage', 'index/store/index', 'text/edit'].map(
      (name) => read(`src/notes/${name}-error.ts`),
    );
    const codes = found(unions, /^ {2}\| '(\w+)'/gm);
    assert.ok(codes.length > 25, `${codes}`);
    assert.deepEqual(sorted(firstCells('| code | when |')), codes);
    const own = tableOf(reference, '| tool | arguments | result | own errors |').flatMap((row) =>
      spans(row[3]!),
    );
    assert.deepEqual(
      own.filter((code) => !codes.includes(code)),
      [],
    );
  });

  test('names every tool that waits for the index', () => {
    const waiting = /await whenIndexed|notIndexedYet|'index_building'/;
    const own = found(
      sourcesOf('notes/tools', 'notes/tool-writes').filter((source) => waiting.test(source)),
      /(?:name|tool): '(\w+)'/g,
    );
    const [, said] = /`index_building` from ([\s\S]*?)\. /.exec(reference)!;
    assert.deepEqual(sorted(spans(said!)), own);
  });

  /** Debug lines are for whoever looks for a fault; they are no promise. */
  test('has every event above the level debug, and no other', () => {
    const events = found(
      sourcesOf('core', 'console', 'oauth', 'mcp', 'notes'),
      /log\.(?:(?:info|warn|error)\(|always\([^;]*?,)\s*'(\w+)'/g,
    );
    const ofDecoys = found([read('src/decoys/events.ts')], /always\([^;]*?,\s*'(\w+)'/g);
    const ofTheLog = found([read('src/core/log/line-writer.ts')], /event: '(\w+)'/g);
    assert.ok(events.length > 25, `${events}`);
    assert.deepEqual(
      sorted(firstCells('| event | fields |')),
      sorted([...events, ...ofDecoys, ...ofTheLog]),
    );
  });

  test('has every metric, and no other', () => {
    const ofAll = ['core/http/metrics.ts', 'core/http/decoy-metrics.ts'];
    const sources = ['notes/metrics.ts', ...ofAll].map((path) => read(`src/${path}`));
    const metrics = found(sources, /'((?:notes|gatehouse)_[a-z_]+)'/g);
    assert.ok(metrics.length > 15, `${metrics}`);
    assert.deepEqual(sorted(firstCells('| metric | labels | what it counts or shows |')), metrics);
  });

  test('has every prompt with its arguments, and every resource', async (context) => {
    const caller = { user: 'ada', incarnation: '1', clientId: 'test' };
    const parts = await notesBench(context).then(({ vaults }) => ({
      vaults,
      log: recordingLog().log,
      now: () => new Date(),
    }));
    const shown = tableOf(reference, '| prompt | arguments | what it asks of the model |').map(
      ([name, args]) => [spans(name!)[0], ...spans(args!)],
    );
    const prompts = await notesPrompts(parts).list(caller);
    assert.deepEqual(
      shown,
      prompts.map(({ name, arguments: args }) => [name, ...args!.map((one) => one.name)]),
    );
    const templates = await notesResources(parts).templates(caller);
    assert.deepEqual(
      firstCells('| resource | what it is |'),
      templates.map(({ uriTemplate }) => uriTemplate),
    );
  });

  test('names nothing with an underscore that the sources do not have', () => {
    const sources = sourcesOf('core', 'console', 'oauth', 'mcp', 'notes', 'decoys').join('\n');
    const names = spans(outsideBlocks).flatMap(
      (span) => span.match(/\b[a-z]+(?:_[a-z]+)+\b/g) ?? [],
    );
    assert.ok(names.length > 200, `${names.length} names`);
    const unknown = sorted(names).filter((name) => !new RegExp(`\\b${name}\\b`).test(sources));
    assert.deepEqual(unknown, []);
  });
});

interface JsonSchema {
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly enum?: readonly string[];
  readonly default?: unknown;
  readonly maximum?: number;
}

/** The names and the values within a part of a schema. */
function wordsOf({ properties = {}, items, anyOf = [], enum: values = [] }: JsonSchema): string[] {
  return [
    ...values,
    ...Object.entries(properties).flatMap(([key, part]) => [key, ...wordsOf(part)]),
    ...(items ? wordsOf(items) : []),
    ...anyOf.flatMap(wordsOf),
  ];
}

/** The rows below a header, each as its cells. */
function tableOf(markdown: string, header: string): string[][] {
  const lines = markdown.split('\n');
  const at = lines.indexOf(header);
  assert.ok(at >= 0, `there is no table ${header}`);
  const end = lines.findIndex((line, index) => index > at && !line.startsWith('|'));
  return lines.slice(at + 2, end).map((line) =>
    line
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim()),
  );
}
