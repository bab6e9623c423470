/** Random vaults whose notes link to each other in every way, for the properties of link mending. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import fc from 'fast-check';
import { parseNote } from '../../../src/notes/markdown/parse-note.ts';
import type { Link } from '../../../src/notes/markdown/parsed-note.ts';
import { LinkTargets } from '../../../src/notes/tool-kit/link-targets.ts';
import { tree } from './notes-storage.ts';
import type { NotesBench } from './notes-tools.ts';

const FOLDERS = ['', 'a/', 'a/b/', 'c d/'];
const NAMES = ['foo', 'foobar', 'bar', 'ü n', 'p(1)', 'C# x', 'Foo y'];
const PATHS = FOLDERS.flatMap((folder) => NAMES.map((name) => `${folder}${name}.md`));

export const arbitraryPath = fc.constantFrom(...PATHS);

const WAYS: readonly ((from: string, to: string) => string)[] = [
  (_, to) => `[[${name(to)}]]`,
  (_, to) => `[[${name(to)}#h|label]]`,
  (_, to) => `![[${name(to)}.md]]`,
  (_, to) => `[[${to.slice(0, -3)}]]`,
  (_, to) => `[[/${to}#^b]]`,
  (from, to) => `[t](${encodeURI(relative(from, to)).replace(/[()#]/g, percent)})`,
  (from, to) => `[t](<${relative(from, to).replaceAll('#', '%23')}#h> "title")`,
  (from, to) => `![i](./${encodeURI(relative(from, to)).replace(/[()#]/g, percent)})`,
  (_, to) => `[t](/${encodeURI(to).replace(/[()#]/g, percent)})`,
  (from, to) => `\n\n[r]: <${relative(from, to).replaceAll('#', '%23')}>\n\n`,
  () => '[[#h]] [x](#h) [[#Other|o]] [[#^b]]',
  (from) => `[[${name(from).replace('#', '')}#Other]]`,
  () => '`[[foo]]` (foo) \\[[bar]]',
  () => '\n\n```\n[[foo]] [x](foo.md)\n```\n\n',
  () => '[[The title]] [[Nick]]',
];

export interface WebNote {
  readonly path: string;
  readonly bytes: Buffer;
}

/** Notes with titles and aliases that others may have as names, and links of all kinds. */
export const arbitraryWeb: fc.Arbitrary<WebNote[]> = fc
  .uniqueArray(
    fc.record({
      path: arbitraryPath,
      title: fc.constantFrom(undefined, 'The title', 'bar', 'foo'),
      alias: fc.constantFrom(undefined, 'Nick', 'foo', 'ü n'),
      up: fc.option(arbitraryPath),
      links: fc.array(fc.tuple(fc.nat(WAYS.length - 1), arbitraryPath), { maxLength: 8 }),
    }),
    { selector: ({ path }) => path.toLowerCase(), minLength: 2, maxLength: 9 },
  )
  .map((notes) =>
    notes.map(({ path, title, alias, up, links }) => {
      const front = [
        ...(alias === undefined ? [] : [`aliases: [${alias}]`]),
        ...(up === null || up.includes('#') ? [] : [`up: "[[${name(up)}]]"`]),
      ];
      const third = (part: number) =>
        links.flatMap(([way, to], at) => (at % 3 === part ? [`${WAYS[way]!(path, to)} `] : []));
      const text = [
        ...(front.length === 0 ? [] : [`---\n${front.join('\n')}\n---\n`]),
        ...(title === undefined ? [] : [`# ${title}\n\n`]),
        'text ',
        ...third(0),
        '\n\n## h\n\nblock ^b\n\n',
        ...third(1),
        '\n\n## Other\n\nrest\n\n',
        ...third(2),
        '\n',
      ];
      return { path, bytes: Buffer.from(text.join('')) };
    }),
  );

/** Makes the vault hold exactly these notes. */
export async function fillVault(bench: NotesBench, notes: readonly WebNote[]): Promise<void> {
  const { root } = bench.open.vault;
  for (const path of await tree(root)) await rm(join(root, path));
  for (const { path, bytes } of notes) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), bytes);
  }
  await bench.open.index.build();
}

export interface LedLink {
  readonly link: Link;
  readonly to: string | null;
}

/** Where each link of a note leads by the index. */
export async function ledLinks(bench: NotesBench, path: string): Promise<LedLink[]> {
  const { links } = parseNote(await bench.bytes(path));
  const world = new LinkTargets(bench.open.index);
  await world.load([{ path, links }]);
  return links.map((link) => ({ link, to: world.before(path, link) ?? null }));
}

function name(path: string): string {
  return posix.basename(path).slice(0, -3);
}

function relative(from: string, to: string): string {
  return posix.relative(posix.dirname(from), to);
}

function percent(character: string): string {
  return `%${character.charCodeAt(0).toString(16)}`;
}
