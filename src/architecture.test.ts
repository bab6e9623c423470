/**
 * Who may import whom, where a secret is in the open, and how long a file may be. The rules are
 * applied to a tree of files as texts, so that they are themselves shown to fail.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { test } from 'node:test';

/** Path from the root of the package, with forward slashes, to text. */
type Tree = ReadonlyMap<string, string>;

/** Arrows point one way; a part may always import from itself. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  bin: ['gateway', 'notes', 'decoys'],
  gateway: ['decoys', 'console', 'oauth', 'mcp', 'core'],
  notes: ['decoys', 'console', 'oauth', 'mcp', 'core'],
  decoys: ['oauth', 'mcp', 'core'],
  console: ['oauth', 'core'],
  oauth: ['core'],
  mcp: ['core'],
  core: [],
};
/**
 * Layers of the notes server that must stay ignorant of each other: what edits text knows no files,
 * what keeps files knows no Markdown, and neither knows the index or a tool.
 */
const TEXT_LAYER = ['edit', 'frontmatter', 'links', 'markdown', 'text'].map(inNotes);
const FILE_LAYER = ['changes', 'files', 'git', 'watch'].map(inNotes);
const UPPER_LAYERS = ['index', 'large-notes', 'tool-kit', 'tool-writes', 'tools', 'vaults'].map(
  inNotes,
);
const MUST_NOT_IMPORT: readonly (readonly [from: readonly string[], to: readonly string[]])[] = [
  [TEXT_LAYER, [...FILE_LAYER, ...UPPER_LAYERS]],
  [FILE_LAYER, [...TEXT_LAYER, ...UPPER_LAYERS]],
];

function inNotes(folder: string): string {
  return `src/notes/${folder}`;
}

/** The programs that the decoys may be mounted in, each in one file. */
const MOUNTS_DECOYS = ['gateway', 'notes'];
/**
 * Where a secret is taken into the open: into an outbound request or its signature, and out of
 * everything else.
 */
const REVEALS = [
  'src/gateway/request/template.ts',
  'src/gateway/credentials/oauth2.ts',
  'src/gateway/config/signing-key.ts',
  'src/core/redactor/forms.ts',
  'src/decoys/persona/draw.ts',
  'src/notes/git/git-process.ts',
  'src/notes/embeddings/remote/remote-embedder.ts',
  'src/core/redis/client.ts',
  'src/core/secrets/derive-key.ts',
  'src/core/secrets/totp.ts',
  'src/gateway/approvals/notify.ts',
];
const MAX_LINES = 300;
const MAX_FILES = 30;

const IMPORT = /\b(?:from|import)\s*\(?\s*['"](\.[^'"]*)['"]/g;

function violations(tree: Tree): string[] {
  return [
    ...importViolations(tree),
    ...circleViolations(tree),
    ...revealViolations(tree),
    ...sizeViolations(tree),
  ];
}

function* importViolations(tree: Tree): Iterable<string> {
  const mounts = new Map<string, string>();
  for (const [path, text] of tree) {
    const part = partOf(path);
    if (!part) {
      yield `${path} belongs to no part`;
      continue;
    }
    for (const target of importsOf(path, text)) {
      const other = partOf(target);
      if (other === part) {
        if (isForbidden(path, target)) yield `${path} imports ${target}`;
        continue;
      }
      if (!other || !MAY_IMPORT[part]?.includes(other)) yield `${path} imports ${target}`;
      if (other !== 'decoys' || !MOUNTS_DECOYS.includes(part)) continue;
      const mount = mounts.get(part) ?? path;
      if (mount !== path) yield `${path} mounts decoys, and so does ${mount}`;
      mounts.set(part, mount);
    }
  }
}

function* revealViolations(tree: Tree): Iterable<string> {
  for (const [path, text] of tree) {
    const reveals = /\.\s*reveal\s*\(|\[\s*['"`]reveal/.test(withoutComments(text));
    if (reveals && !REVEALS.includes(path)) yield `${path} reveals a secret`;
  }
}

function* sizeViolations(tree: Tree): Iterable<string> {
  const counts = new Map<string, number>();
  for (const [path, text] of tree) {
    const lines = text.trimEnd().split('\n').length;
    if (lines > MAX_LINES) yield `${path} has ${lines} lines`;
    const folder = posix.dirname(path);
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  for (const [folder, count] of counts) {
    if (count > MAX_FILES) yield `${folder} has ${count} files`;
  }
}

/** Neither files nor folders import each other in a circle; imports of types count. */
function* circleViolations(tree: Tree): Iterable<string> {
  const files = new Map<string, Set<string>>();
  const folders = new Map<string, Set<string>>();
  for (const [path, text] of tree) {
    const targets = importsOf(path, text).filter((target) => tree.has(target));
    files.set(path, new Set(targets));
    const folder = posix.dirname(path);
    const others = targets.map((target) => posix.dirname(target));
    const known = folders.get(folder) ?? new Set();
    folders.set(folder, known);
    for (const other of others) if (other !== folder) known.add(other);
  }
  for (const graph of [files, folders]) {
    const circle = circleIn(graph);
    if (circle !== undefined) yield `import circle: ${circle.join(' -> ')}`;
  }
}

/** The first circle of a depth-first search. */
function circleIn(graph: ReadonlyMap<string, ReadonlySet<string>>): string[] | undefined {
  const done = new Set<string>();
  const path: string[] = [];
  const visit = (node: string): string[] | undefined => {
    if (path.includes(node)) return [...path.slice(path.indexOf(node)), node];
    if (done.has(node)) return undefined;
    path.push(node);
    for (const next of graph.get(node) ?? []) {
      const circle = visit(next);
      if (circle !== undefined) return circle;
    }
    path.pop();
    done.add(node);
    return undefined;
  };
  for (const node of graph.keys()) {
    const circle = visit(node);
    if (circle !== undefined) return circle;
  }
  return undefined;
}

function isForbidden(path: string, target: string): boolean {
  const isIn = (file: string) => (folder: string) => file.startsWith(`${folder}/`);
  return MUST_NOT_IMPORT.some(([from, to]) => from.some(isIn(path)) && to.some(isIn(target)));
}

function partOf(path: string): string | undefined {
  const [, inSource, inRoot] = /^(?:src\/([^/]+)\/|(bin)\/)/.exec(path) ?? [];
  const part = inSource ?? inRoot;
  return part !== undefined && part in MAY_IMPORT ? part : undefined;
}

function importsOf(path: string, text: string): string[] {
  return [...withoutComments(text).matchAll(IMPORT)].map(([, specifier]) =>
    posix.join(posix.dirname(path), specifier!),
  );
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
}

/** The sources as they are; tests may reach further and may be longer. */
function sources(): Tree {
  const root = new URL('../', import.meta.url);
  const paths = ['bin', 'src'].flatMap((folder) =>
    readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' }).map(
      (name) => `${folder}/${name.replaceAll('\\', '/')}`,
    ),
  );
  const files = paths.filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'));
  return new Map(files.map((path) => [path, readFileSync(new URL(path, root), 'utf8')]));
}

test('the sources keep every rule', () => {
  const tree = sources();
  assert.ok(tree.size > 50);
  assert.deepEqual(violations(tree), []);
});

test('each folder that a rule names is there', () => {
  const paths = [...sources().keys()];
  for (const folder of MUST_NOT_IMPORT.flat(2)) {
    assert.ok(
      paths.some((path) => path.startsWith(`${folder}/`)),
      folder,
    );
  }
});

test('each place that may reveal a secret does', () => {
  const tree = sources();
  for (const path of REVEALS) assert.match(tree.get(path) ?? '', /\.reveal\(/, path);
});

/** Made-up trees: the files, and what is wrong with them. */
const trees: [what: string, files: Record<string, string>, expected: string[]][] = [
  [
    'arrows that point down',
    {
      'bin/gateway.ts': "import { run } from '../src/gateway/commands/cli.ts';",
      'src/gateway/commands/cli.ts':
        "import '../oauth/a.ts';\nconst b = await import('../core/b.ts');",
      'src/oauth/a.ts': "import type { B } from '../core/redactor/b.ts';\nimport 'fastify';",
      'src/core/b.ts': "export * from './c.ts';",
    },
    [],
  ],
  [
    'core that knows a program',
    { 'src/core/a.ts': "import { x } from '../gateway/x.ts';" },
    ['src/core/a.ts imports src/gateway/x.ts'],
  ],
  [
    'core that knows a program by a lazy import',
    { 'src/core/redactor/a.ts': "await import( '../../mcp/x.ts' );" },
    ['src/core/redactor/a.ts imports src/mcp/x.ts'],
  ],
  [
    'core that knows a program by its types',
    { 'src/core/a.ts': "import type {\n  X,\n} from '../notes/x.ts';" },
    ['src/core/a.ts imports src/notes/x.ts'],
  ],
  [
    'core that passes a program on',
    { 'src/core/a.ts': 'export { x } from "../oauth/x.ts";' },
    ['src/core/a.ts imports src/oauth/x.ts'],
  ],
  [
    'programs that know each other',
    {
      'src/gateway/a.ts': "import '../notes/x.ts';",
      'src/notes/b.ts': "import '../gateway/x.ts';",
      'src/decoys/c.ts': "import '../gateway/x.ts';",
    },
    [
      'src/gateway/a.ts imports src/notes/x.ts',
      'src/notes/b.ts imports src/gateway/x.ts',
      'src/decoys/c.ts imports src/gateway/x.ts',
    ],
  ],
  [
    'the two protocols that know each other',
    { 'src/oauth/a.ts': "import '../mcp/x.ts';", 'src/mcp/b.ts': "import '../oauth/x.ts';" },
    ['src/oauth/a.ts imports src/mcp/x.ts', 'src/mcp/b.ts imports src/oauth/x.ts'],
  ],
  [
    'text of the notes that knows files, and files that know text',
    {
      'src/notes/markdown/a.ts': "import '../files/b.ts';\nimport '../index/c.ts';",
      'src/notes/git/b.ts': "import '../markdown/d.ts';\nimport '../tools/c.ts';",
    },
    [
      'src/notes/markdown/a.ts imports src/notes/files/b.ts',
      'src/notes/markdown/a.ts imports src/notes/index/c.ts',
      'src/notes/git/b.ts imports src/notes/markdown/d.ts',
      'src/notes/git/b.ts imports src/notes/tools/c.ts',
    ],
  ],
  [
    'files that import each other, by their types alone',
    {
      'src/core/a.ts': "import { b } from './b.ts';",
      'src/core/b.ts': "import { c } from './c.ts';",
      'src/core/c.ts': "import type { A } from './a.ts';",
    },
    ['import circle: src/core/a.ts -> src/core/b.ts -> src/core/c.ts -> src/core/a.ts'],
  ],
  [
    'folders that import each other through different files',
    {
      'src/mcp/a.ts': "import './parts/b.ts';",
      'src/mcp/parts/b.ts': '',
      'src/mcp/parts/c.ts': "import '../d.ts';",
      'src/mcp/d.ts': '',
    },
    ['import circle: src/mcp -> src/mcp/parts -> src/mcp'],
  ],
  [
    'a folder with too many files',
    Object.fromEntries(Array.from({ length: 31 }, (_, at) => [`src/core/${at}.ts`, ''])),
    ['src/core has 31 files'],
  ],
  [
    'an entry point that does more than call a program',
    { 'bin/gateway.ts': "import '../src/core/log/log.ts';" },
    ['bin/gateway.ts imports src/core/log/log.ts'],
  ],
  [
    'what reaches out of the sources',
    { 'src/gateway/a.ts': "import '../../test/support/gateway.ts';" },
    ['src/gateway/a.ts imports test/support/gateway.ts'],
  ],
  [
    'decoys mounted once in each',
    {
      'src/gateway/routes.ts': "import '../decoys/a.ts';\nimport '../decoys/b.ts';",
      'src/notes/routes.ts': "import '../decoys/a.ts';",
    },
    [],
  ],
  [
    'decoys mounted twice in one',
    {
      'src/gateway/a.ts': "import '../decoys/x.ts';",
      'src/gateway/b.ts': "import '../decoys/y.ts';",
    },
    ['src/gateway/b.ts mounts decoys, and so does src/gateway/a.ts'],
  ],
  ['a file without a part', { 'src/utils/a.ts': '' }, ['src/utils/a.ts belongs to no part']],
  [
    'a secret revealed elsewhere, in any spelling',
    {
      'src/gateway/a.ts': 'secret.reveal()',
      'src/gateway/b.ts': 'secret\n  ?.reveal ()',
      'src/gateway/c.ts': "secret['reveal']()",
      'src/gateway/d.ts': '/** `reveal()` is called elsewhere: secret.reveal() */\n// x.reveal()',
    },
    [
      'src/gateway/a.ts reveals a secret',
      'src/gateway/b.ts reveals a secret',
      'src/gateway/c.ts reveals a secret',
    ],
  ],
  [
    'a file that has grown too long',
    { 'src/core/a.ts': 'x\n'.repeat(300), 'src/core/b.ts': 'x\n'.repeat(301) },
    ['src/core/b.ts has 301 lines'],
  ],
];
for (const [what, files, expected] of trees) {
  test(`${expected.length === 0 ? 'accepted' : 'refused'}: ${what}`, () => {
    assert.deepEqual(violations(new Map(Object.entries(files))), expected);
  });
}
