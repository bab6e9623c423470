/** Updates the links of a canvas or a base after files were moved. */
import { readNote } from '../large-notes/heavy-notes.ts';
import { type LinkPart, linksOfPart, readLinkParts } from '../links/linking-file.ts';
import type { LinkChange } from '../links/rewrite-links.ts';
import { callsByFileName, spellTarget } from '../links/spell-link.ts';
import type { Link, ParsedNote } from '../markdown/parsed-note.ts';
import type { LinkTargets } from '../tool-kit/link-targets.ts';

export interface MovedFolder {
  readonly from: string;
  readonly to: string;
}

export interface LinkingFile {
  readonly path: string;
  /** Where it was before the change. */
  readonly from: string;
  readonly text: string;
}

export interface FileRules {
  readonly targets: LinkTargets;
  readonly destination: LinkChange['destination'];
  readonly folder?: MovedFolder;
  /** Updates Markdown as that of a note that begins in this line. */
  readonly mendMarkdown: (note: ParsedNote, firstLine: number) => Promise<Buffer>;
}

export interface MendedFile {
  readonly text: string;
  readonly changed: readonly {
    readonly line: number;
    readonly from: string;
    readonly to: string;
  }[];
  /** Links that the file cannot hold in their new form. */
  readonly left: readonly { readonly line: number; readonly target: string }[];
}

/** `targets` must not have loaded the links of the file. */
export async function mendLinkingFile(file: LinkingFile, rules: FileRules): Promise<MendedFile> {
  const parts = readLinkParts(file.path, file.text).sort((a, b) => a.start - b.start);
  await rules.targets.load([{ path: file.from, links: parts.flatMap(linksOfPart) }]);
  const changed: { line: number; from: string; to: string }[] = [];
  const left: { line: number; target: string }[] = [];
  let [text, copied] = ['', 0];
  for (const part of parts) {
    const { value, anchor, line, start, end } = part;
    const next = await mendedPart(part, file, rules);
    if (next === undefined || start < copied) continue;
    const written = part.write(next.value, next.anchor);
    if (written === undefined) {
      left.push({ line, target: value });
    } else if (next.value !== value || (next.anchor ?? anchor) !== anchor) {
      text += file.text.slice(copied, start) + written;
      copied = end;
      if (part.kind !== 'markdown') changed.push({ line, from: value, to: next.value });
    }
  }
  return { text: text + file.text.slice(copied), changed, left };
}

async function mendedPart(
  part: LinkPart,
  { path, from }: LinkingFile,
  { targets, destination, folder, mendMarkdown }: FileRules,
): Promise<{ value: string; anchor?: string } | undefined> {
  const { kind, value, anchor, line } = part;
  if (kind === 'markdown') {
    const note = await readNote(Buffer.from(value));
    return { value: (await mendMarkdown(note, line)).toString() };
  }
  if (kind === 'folder') {
    const isIn = folder !== undefined && `${value}/`.startsWith(`${folder.from}/`);
    return isIn ? { value: folder.to + value.slice(folder.from.length) } : undefined;
  }
  const [link] = linksOfPart(part);
  const named = targets.before(from, link!);
  const found = named === undefined ? undefined : destination(named, anchor);
  if (named === undefined || found === undefined) return undefined;
  const moved = found.anchor === undefined ? {} : { anchor: found.anchor };
  if (kind === 'path') return { value: found.path, ...moved };
  const wiki = link as Link;
  if (!callsByFileName(wiki, named)) return undefined;
  const unique = targets.isUnique(found.path);
  const places = { from, to: path, named, destination: found.path, unique };
  return { value: spellTarget(wiki, places), ...moved };
}
