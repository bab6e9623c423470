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
  gateway: ['decoys', 'oauth', 'mcp', 'core'],
  notes: ['decoys', 'oauth', 'mcp', 'core'],
  decoys: ['oauth', 'mcp', 'core'],
  oauth: ['core'],
  mcp: ['core'],
  core: [],
};
/**
 * The same within a part that has folders. A file belongs to the longest row that names it or a
 * folder above it; `src/notes` is what stands in no other row of the notes.
 */
const FOLDERS: Record<string, readonly string[]> = {
  'src/core': [],
  'src/core/command-line': ['src/core'],
  'src/core/pages': ['src/core'],
  'src/core/redactor': ['src/core'],
  'src/core/report': ['src/core', 'src/core/command-line', 'src/core/pages'],
  'src/gateway': [
    'src/gateway/commands',
    'src/gateway/config',
    'src/gateway/steps',
    'src/gateway/upstream',
  ],
  'src/gateway/commands': ['src/gateway', 'src/gateway/config'],
  'src/gateway/config': ['src/gateway'],
  'src/gateway/steps': ['src/gateway', 'src/gateway/config', 'src/gateway/upstream'],
  'src/gateway/upstream': ['src/gateway', 'src/gateway/config'],
  'src/notes': [
    'src/notes/commands',
    'src/notes/index',
    'src/notes/vaults/open-vault.ts',
    'src/notes/vaults/open-vaults.ts',
    'src/notes/storage',
    'src/notes/text',
    'src/notes/tools',
  ],
  'src/notes/commands': ['src/notes', 'src/notes/index', 'src/notes/storage'],
  'src/notes/tools': [
    'src/notes/index',
    'src/notes/vaults/open-vault.ts',
    'src/notes/vaults/open-vaults.ts',
    'src/notes/storage',
    'src/notes/text',
  ],
  'src/notes/vaults/open-vaults.ts': [
    'src/notes/index',
    'src/notes/vaults/open-vault.ts',
    'src/notes/storage',
  ],
  'src/notes/vaults/open-vault.ts': ['src/notes/index', 'src/notes/storage'],
  'src/notes/index': ['src/notes/storage', 'src/notes/text'],
  'src/notes/storage': [],
  'src/notes/text': [],
  'src/decoys': ['src/decoys/commands', 'src/decoys/kinds'],
  'src/decoys/commands': ['src/decoys'],
  'src/decoys/kinds': ['src/decoys'],
};
/** The programs that the decoys may be mounted in, each in one file. */
const MOUNTS_DECOYS = ['gateway', 'notes'];
/** Where a secret is taken into the open: into an outbound request, and out of everything else. */
const REVEALS = [
  'src/gateway/request/template.ts',
  'src/core/redactor/forms.ts',
  'src/notes/git/git-process.ts',
];
const MAX_LINES = 300;

const IMPORT = /\b(?:from|import)\s*\(?\s*['"](\.[^'"]*)['"]/g;

function violations(tree: Tree): string[] {
  return [...importViolations(tree), ...revealViolations(tree), ...lengthViolations(tree)];
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
        if (!isWithinReach(path, target)) yield `${path} imports ${target}`;
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

function* lengthViolations(tree: Tree): Iterable<string> {
  for (const [path, text] of tree) {
    const lines = text.trimEnd().split('\n').length;
    if (lines > MAX_LINES) yield `${path} has ${lines} lines`;
  }
}

function partOf(path: string): string | undefined {
  const [, inSource, inRoot] = /^(?:src\/([^/]+)\/|(bin)\/)/.exec(path) ?? [];
  const part = inSource ?? inRoot;
  return part !== undefined && part in MAY_IMPORT ? part : undefined;
}

function isWithinReach(path: string, target: string): boolean {
  const [folder, other] = [folderOf(path), folderOf(target)];
  if (folder === undefined || other === undefined || folder === other) return true;
  return FOLDERS[folder]!.includes(other);
}

function folderOf(path: string): string | undefined {
  return Object.keys(FOLDERS)
    .filter((folder) => path === folder || path.startsWith(`${folder}/`))
    .sort((a, b) => b.length - a.length)[0];
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

test('each folder of a rule is there, and each of its arrows is drawn', () => {
  const arrows = new Set<string>();
  for (const [path, text] of sources()) {
    for (const target of importsOf(path, text)) arrows.add(`${folderOf(path)} ${folderOf(target)}`);
  }
  const allowed = Object.entries(FOLDERS).flatMap(([folder, others]) =>
    others.map((other) => `${folder} ${other}`),
  );
  assert.deepEqual(
    allowed.filter((arrow) => !arrows.has(arrow)),
    [],
  );
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
      'bin/gateway.ts': "import { run } from './gateway/commands/cli.ts';",
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
    'tools of the notes over index, storage, text and the vaults that are open',
    {
      'src/notes/tools/a.ts':
        "import '../storage/a.ts';\nimport '../index/review/b.ts';\nimport '../text/c.ts';",
      'src/notes/tools/b.ts': "import type { OpenVault } from '../open-vault.ts';",
      'src/notes/index/review/b.ts': "import '../sql.ts';\nimport '../../text/c.ts';",
      'src/notes/tools.ts': "import './tools/a.ts';",
    },
    [],
  ],
  [
    'text of the notes that knows files, and files that know text',
    {
      'src/notes/text/a.ts': "import '../storage/b.ts';\nimport '../index/c.ts';",
      'src/notes/storage/b.ts': "import '../text/a.ts';\nimport '../index/c.ts';",
    },
    [
      'src/notes/text/a.ts imports src/notes/storage/b.ts',
      'src/notes/text/a.ts imports src/notes/index/c.ts',
      'src/notes/storage/b.ts imports src/notes/text/a.ts',
      'src/notes/storage/b.ts imports src/notes/index/c.ts',
    ],
  ],
  [
    'an index that knows tools, and tools that know the server',
    {
      'src/notes/index/review/a.ts': "import '../../tools/b.ts';\nimport '../../open-vault.ts';",
      'src/notes/tools/b.ts': "import '../config.ts';",
    },
    [
      'src/notes/index/review/a.ts imports src/notes/tools/b.ts',
      'src/notes/index/review/a.ts imports src/notes/vaults/open-vault.ts',
      'src/notes/tools/b.ts imports src/notes/config.ts',
    ],
  ],
  [
    'core that leans on its own folders',
    {
      'src/core/a.ts': "import './command-line/b.ts';",
      'src/core/command-line/b.ts': "import '../a.ts';\nimport '../pages/c.ts';",
      'src/core/report/d.ts': "import '../pages/c.ts';",
    },
    [
      'src/core/a.ts imports src/core/command-line/b.ts',
      'src/core/command-line/b.ts imports src/core/pages/c.ts',
    ],
  ],
  [
    'steps and upstreams that know each other, and commands that anyone runs',
    {
      'src/gateway/upstream/a.ts': "import '../steps/b.ts';",
      'src/gateway/steps/b.ts': "import '../upstream/a.ts';\nimport '../commands/c.ts';",
    },
    [
      'src/gateway/upstream/a.ts imports src/gateway/steps/b.ts',
      'src/gateway/steps/b.ts imports src/gateway/commands/c.ts',
    ],
  ],
  [
    'an entry point that does more than call a program',
    { 'bin/gateway.ts': "import './core/log/log.ts';" },
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
