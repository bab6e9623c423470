/**
 * Resolves links before and after a change of files by the rules of the index. Names are fetched
 * from the index once; the effect of the change is overlaid.
 */
import type { NamedFile } from '../index/build/link-reach.ts';
import { fileTitle } from '../index/content/indexed-note.ts';
import {
  type FileName,
  fileNames,
  nameKey,
  type OtherNames,
  resolveLink,
} from '../index/content/link-names.ts';
import type { NoteIndex } from '../index/note-index.ts';
import type { LinkChange } from '../links/rewrite-links.ts';
import type { Link } from '../markdown/parsed-note.ts';
import { inSlices } from './in-slices.ts';

export type Spelt = Pick<Link, 'kind' | 'target'>;

export interface PlacedLinks {
  /** The path of the note before the change. */
  readonly path: string;
  readonly links: readonly Spelt[];
}

/** The names of a file at a path, including the title and aliases of a note. */
export function namesAt(path: string, note?: OtherNames): FileName[] {
  if (note === undefined) return fileNames(path, { aliases: [] });
  return fileNames(path, { ...note, title: note.title?.trim() || fileTitle(path) });
}

export class LinkTargets {
  readonly #index: NoteIndex;
  readonly #known = new Map<string, NamedFile[]>();
  /** The files whose names the change removes or replaces. */
  readonly #changed = new Set<string>();
  /** By key, then by path. */
  readonly #given = new Map<string, Map<string, NamedFile>>();

  constructor(index: NoteIndex) {
    this.#index = index;
  }

  /** The change removes the file. */
  leaves(path: string): void {
    this.#changed.add(path);
  }

  /** The change creates, moves or edits the file, which then has exactly these names. */
  has(path: string, names: readonly FileName[]): void {
    this.#changed.add(path);
    for (const name of names) {
      const named = this.#given.get(name.key) ?? new Map<string, NamedFile>();
      // The best of several names with this key decides.
      if (!named.has(path)) named.set(path, { ...name, path });
      this.#given.set(name.key, named);
    }
  }

  /** Must be called with the links of a note before they are resolved. */
  async load(notes: readonly PlacedLinks[]): Promise<void> {
    const asked = new Set<string>();
    const led = new Set<string>();
    for (const { links } of notes) {
      await inSlices(links, ({ target }) => asked.add(nameKey(target)));
    }
    await this.#fetch(asked);
    for (const { path, links } of notes) {
      await inSlices(links, (link) => {
        const file = this.before(path, link);
        if (file !== undefined) led.add(nameKey(file));
      });
    }
    await this.#fetch(led);
  }

  /** Also loads the names that the change adds, for links that are rewritten. */
  async loadGiven(): Promise<void> {
    await this.#fetch(this.#given.keys());
  }

  before(source: string, link: Spelt): string | undefined {
    return resolved(source, link, this.#known.get(nameKey(link.target)) ?? []);
  }

  after(source: string, link: Spelt): string | undefined {
    return resolved(source, link, this.#after(nameKey(link.target)));
  }

  /** For links that will be in the note at `path`. */
  rulesAt(path: string): Required<Pick<LinkChange, 'isUnique' | 'leadsTo'>> {
    return {
      isUnique: (other) => this.isUnique(other),
      leadsTo: (kind, target) => this.after(path, { kind, target }),
    };
  }

  /** Whether the bare name of a file is unique after the change. */
  isUnique(path: string): boolean {
    return this.#after(nameKey(path)).every((one) => one.path === path);
  }

  #after(key: string): NamedFile[] {
    const stay = (this.#known.get(key) ?? []).filter(({ path }) => !this.#changed.has(path));
    return [...stay, ...(this.#given.get(key)?.values() ?? [])];
  }

  async #fetch(keys: Iterable<string>): Promise<void> {
    const unknown = [...keys].filter((key) => !this.#known.has(key));
    if (unknown.length === 0) return;
    for (const key of unknown) this.#known.set(key, []);
    for (const named of await this.#index.named(unknown)) this.#known.get(named.key)!.push(named);
  }
}

function resolved(source: string, link: Spelt, named: readonly NamedFile[]): string | undefined {
  if (link.target === '') return source;
  const candidates = named.map(({ path, via, whole }, file) => ({ file, path, via, whole }));
  const found = resolveLink({ ...link, source }, candidates);
  return found && candidates[found.file]!.path;
}
