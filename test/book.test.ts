/**
 * What the book tells people to type works, and prints what the book says it prints. The blocks
 * that cannot be run here are listed, so that their number does not grow unseen.
 */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import {
  type Block,
  blocksOf,
  fencesOf,
  isAsShown,
  isInstalled,
  Reader,
} from './support/docs/book.ts';
import { sampleOf } from './support/property-runs.ts';

const ROOT = new URL('../', import.meta.url).pathname;
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const pagesIn = (folder: string) =>
  readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`);

/** The pages with commands for readers; the references have separate tests. */
const MAIN_PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'docs/README.md',
  'docs/tutorial.md',
  'docs/deploy.md',
  'docs/faq.md',
];
const FURTHER_PAGES = ['docs/recipes', 'docs/how-to', 'docs/explanation'].flatMap(pagesIn);
const PAGES = [...MAIN_PAGES, ...FURTHER_PAGES];

/** Every block that is not run, and why. */
const NOT_RUN: Record<string, string[]> = {
  'README.md': ['is the suite of which this is a part', 'speaks to a client that is not here'],
  'docs/tutorial.md': ['speaks to a client that is not here'],
  'docs/deploy.md': [
    'needs Docker, root and public names',
    'needs root and systemd',
    'needs a cluster',
    'needs the names and certificates in place; the files are checked by test/deploy.test.ts',
  ],
  'docs/how-to/alerts.md': ['needs root and systemd', 'needs Docker', 'needs the public names'],
  'docs/how-to/block-scanners.md': ['needs root, and changes the firewall', 'needs root'],
  'docs/how-to/docker.md': ['needs Docker, root and public names', 'needs Docker'],
  'docs/how-to/git-remote.md': ['needs an account'],
  'docs/how-to/many-replicas.md': ['installs a package and needs a store'],
  'docs/how-to/reverse-proxy.md': [
    'needs names that lead here, and port 443',
    'needs root, nginx and certificates',
    'needs the public names',
  ],
  'docs/how-to/search-by-meaning.md': ['installs 300 MB'],
  'docs/how-to/second-factor.md': ['prints a QR code of a random secret'],
  'docs/how-to/secrets-from-other-stores.md': ['needs root and systemd'],
  'docs/explanation/why-our-own-mcp-endpoint.md': ['takes minutes, and is a measurement'],
};

describe('links', () => {
  for (const page of PAGES) {
    test(`of ${page} lead somewhere`, () => {
      assert.deepEqual(deadLinks(page), []);
    });
  }

  test('every page is in the table of contents', () => {
    const contents = read('docs/README.md');
    const folders = ['docs', 'docs/how-to', 'docs/recipes', 'docs/explanation'];
    const pages = folders.flatMap(pagesIn);
    const missing = pages
      .filter((page) => page !== 'docs/README.md')
      .filter((page) => !contents.includes(`](${page.slice('docs/'.length)})`));
    assert.deepEqual(missing, []);
  });

  test('of the README lead to what is packed', () => {
    const { files } = JSON.parse(read('package.json')) as { files: string[] };
    const packed = [...files, 'README.md', 'LICENSE', 'package.json'];
    const outside = linksOf('README.md')
      .filter((link) => !/^[a-z]+:|^#/.test(link))
      .filter((link) => !packed.some((name) => link === name || link.startsWith(`${name}/`)));
    assert.deepEqual(outside, []);
  });
});

test('the README is short enough to be read', () => {
  assert.ok(read('README.md').split('\n').length < 200);
});

test('every block is of a kind that is known, so that no command goes unseen', () => {
  const kinds = new Set(['sh', 'text', 'json', 'yaml', 'ts', 'mermaid']);
  for (const page of PAGES) {
    const unknown = fencesOf(read(page)).filter(({ kind }) => !kinds.has(kind));
    assert.deepEqual(unknown, [], page);
    const fences = read(page).match(/^```/gm)?.length ?? 0;
    assert.equal(fences, fencesOf(read(page)).length * 2, page);
  }
});

test('the blocks that are not run are these', () => {
  const found = PAGES.map((page) => {
    const reasons = blocksOf(read(page)).flatMap(({ notRun }) => (notRun ? [notRun] : []));
    return [page, reasons] as const;
  });
  assert.deepEqual(Object.fromEntries(found.filter(([, reasons]) => reasons.length > 0)), NOT_RUN);
});

describe('the commands', { concurrency: 2 }, () => {
  for (const page of [...MAIN_PAGES, ...sampleOf(FURTHER_PAGES, 4)]) {
    const blocks = blocksOf(read(page)).filter(({ notRun }) => notRun === undefined);
    if (blocks.length === 0) continue;
    test(`of ${page}`, async (context) => {
      const reader = await Reader.open();
      context.after(() => reader.close());
      for (const block of blocks) {
        if (block.needs !== undefined && !isInstalled(block.needs)) {
          context.diagnostic(`${page}:${block.line} needs ${block.needs}`);
          continue;
        }
        check(page, block, await reader.type(block));
      }
    });
  }
});

function check(page: string, block: Block, { printed, code }: { printed: string; code: number }) {
  const where = `${page}:${block.line}`;
  assert.equal(code, block.exits, `${where} ended with ${code}\n${block.text}${printed}`);
  if (block.output === undefined || isAsShown(printed, block.output)) return;
  assert.equal(printed, block.output, where);
}

describe('what is shown', () => {
  for (const [what, printed, shown, expected] of [
    ['the same', 'a\nb\n', 'a\nb\n', true],
    ['another line', 'a\nb\n', 'a\nc\n', false],
    ['a line too many', 'a\nb\n', 'a\n', false],
    ['a line too few', 'a\n', 'a\nb\n', false],
    ['any text within a line', 'key 123 end\n', 'key … end\n', true],
    ['any lines', 'a\nb\nc\nd\n', 'a\n…\nd\n', true],
    ['no line for any lines', 'a\nd\n', 'a\n…\nd\n', true],
    [
      'a time of another day',
      'at 2026-01-02T03:04:05.678Z\n',
      'at 2026-11-15T20:40:51.015Z\n',
      true,
    ],
    ['no time where one is shown', 'at noon\n', 'at 2026-11-15T20:40:51.015Z\n', false],
    ['what is special in expressions', 'a+b\n', 'a.b\n', false],
  ] as const) {
    test(`${expected ? 'accepted' : 'refused'}: ${what}`, () => {
      assert.equal(isAsShown(printed, shown), expected);
    });
  }
});

describe('a block', () => {
  const typed = async (context: { after(end: () => Promise<void>): void }, markdown: string) => {
    const reader = await Reader.open();
    context.after(() => reader.close());
    const results = [];
    for (const block of blocksOf(markdown)) results.push(await reader.type(block));
    return results.map(({ printed, code }) => `${printed.trim()} ${code}`);
  };

  test('keeps what an earlier one set, and fails when any command of it does', async (context) => {
    const markdown = '```sh\nmkdir x && cd x\nname=ada\n```\n\n```sh\necho "$name"\n```\n';
    const failing =
      '```sh\nfalse\necho on\n```\n\n```sh\nfalse | true\n```\n\n```sh\n(exit 3)\n```\n';
    assert.deepEqual(await typed(context, markdown + failing), [
      ' 0',
      'ada 0',
      'on 99',
      ' 1',
      ' 3',
    ]);
  });

  test('that has a mark nobody knows is refused', () => {
    assert.throws(() => blocksOf('<!-- ignore -->\n```sh\nfalse\n```\n'), /is no mark/);
  });
});

function linksOf(page: string): string[] {
  const text = read(page).replace(/^```[\s\S]*?^```/gm, '');
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link!);
}

function deadLinks(page: string): string[] {
  return linksOf(page).filter((link) => {
    if (/^[a-z]+:/.test(link)) return false;
    const [file = '', anchor] = link.split('#');
    const path = file ? join(dirname(page), file) : page;
    if (!existsSync(join(ROOT, path))) return true;
    return anchor !== undefined && !anchorsOf(read(path)).includes(anchor);
  });
}

function anchorsOf(markdown: string): string[] {
  return [...markdown.matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}
