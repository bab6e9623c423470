/** The bytes of a new note: its text, with a title and tags if given. */

import { editSection } from '../edit/edit-section.ts';
import { editFrontmatter } from '../frontmatter/edit-frontmatter.ts';
import { lineStart } from '../frontmatter/yaml-keys.ts';
import { writeItem, writeValue } from '../frontmatter/yaml-value.ts';
import { formatMoment } from '../habits/moment-format.ts';
import type { TemplateHabits } from '../habits/vault-habits.ts';
import { frontmatterRange } from '../markdown/frontmatter.ts';
import { parseNote } from '../markdown/parse-note.ts';
import { lineEnd } from '../text/lines.ts';
import { applyReplacements } from '../text/replacements.ts';
import { decodeLossless, encodeLossless, foldName } from '../text/utf8.ts';
import { invalidArguments } from '../tool-kit/notes-error.ts';

export interface NewNote {
  readonly content: Buffer;
  readonly title?: string;
  readonly tags?: readonly string[];
  /** More keys of the frontmatter. */
  readonly properties?: Readonly<Record<string, string>>;
}

/** Adds a frontmatter only for tags and properties. */
export function newNote({ content, title, tags = [], properties = {} }: NewNote): Buffer {
  const bytes = title === undefined ? content : titled(content, title);
  if (tags.length === 0 && Object.keys(properties).length === 0) return bytes;
  const note = parseNote(bytes);
  const edit = { add_tags: tags, set: properties };
  return applyReplacements(note.bytes, editFrontmatter(note, edit));
}

/** Adds the title as the first heading, unless the text has a title. */
function titled(content: Buffer, title: string): Buffer {
  const note = parseNote(content);
  if (note.title !== undefined) return content;
  const heading = oneLine(title);
  const edit = { mode: 'prepend_to_note', content: `# ${heading}` } as const;
  const bytes = applyReplacements(content, editSection(note, edit));
  if (heading !== '' && parseNote(bytes).title === heading) return bytes;
  throw invalidArguments('the title cannot be a heading; give one line of text');
}

/** Whether the text already had another title, which was kept. */
export function hasOtherTitle(bytes: Buffer, title: string): boolean {
  return foldName(parseNote(bytes).title ?? '') !== foldName(oneLine(title));
}

/** The values of a template's placeholders. */
export interface Placeholders extends Pick<TemplateHabits, 'dateFormat' | 'timeFormat'> {
  readonly title: string;
  readonly moment: Date;
}

/** Fills in the placeholders of a template and appends the content. */
export function fromTemplate(template: Buffer, values: Placeholders, content: string): Buffer {
  const text = decodeLossless(template);
  const bytes = encodeLossless(filled(text, values));
  if (!keepsFrontmatter(bytes, text, values)) {
    throw invalidArguments(
      'the title breaks the frontmatter of the template; make {{title}} a complete value there, or give another title',
    );
  }
  if (content.trim() === '') return bytes;
  const edit = { mode: 'append_to_note', content } as const;
  return applyReplacements(bytes, editSection(parseNote(bytes), edit));
}

/** Prevents YAML injection: the title must not change the rest of the frontmatter. */
function keepsFrontmatter(bytes: Buffer, text: string, values: Placeholders): boolean {
  let title = 'x';
  while (text.includes(title)) title += 'x';
  const other = parseNote(encodeLossless(filled(text, { ...values, title }))).frontmatter;
  if (other?.data === undefined) return true;
  return isEqualAfterReplacing(parseNote(bytes).frontmatter?.data, other.data, [
    title,
    values.title,
  ]);
}

/** Whether a value equals the other after replacing one text by another. */
function isEqualAfterReplacing(
  value: unknown,
  other: unknown,
  [from, to]: readonly [string, string],
): boolean {
  if (typeof other === 'string') return String(value) === other.replaceAll(from, () => to);
  if (other === null || typeof other !== 'object') return Object.is(value, other);
  if (value === null || typeof value !== 'object') return false;
  const [own, others] = [value, other].map((each) => Object.entries(each).flat());
  return (
    Array.isArray(value) === Array.isArray(other) &&
    own!.length === others!.length &&
    others!.every((each, at) => isEqualAfterReplacing(own![at], each, [from, to]))
  );
}

/** `{{date:YYYY}}` gives its own format. */
const PLACEHOLDER = /\{\{ *(title|date|time)(?::([^{}\n]{1,100}))? *\}\}/g;

/** A title that is a complete YAML value is quoted and escaped. */
function filled(text: string, values: Placeholders): string {
  const end = frontmatterRange(text, text.startsWith('\ufeff') ? 1 : 0)?.innerEnd ?? 0;
  return text.replace(
    PLACEHOLDER,
    (whole, name: string, format: string | undefined, at: number) => {
      if (name !== 'title') {
        const usual = name === 'date' ? values.dateFormat : values.timeFormat;
        return formatMoment(values.moment, format ?? usual);
      }
      return at < end ? titleAt(text, at, at + whole.length, values.title) : values.title;
    },
  );
}

function titleAt(text: string, from: number, to: number, title: string): string {
  if (isWholeValue(text, from, to)) return writeValue(title);
  const beside = text[from - 1]! + text[to];
  if (beside === '""') return JSON.stringify(title).slice(1, -1);
  if (beside === "''") return title.replaceAll("'", "''");
  const isItem =
    /[[,] *$/.test(text.slice(lineStart(text, from), from)) && /^ *[\],]/.test(text.slice(to));
  return isItem ? writeItem(title) : title;
}

/** Whether the range is preceded by a key or a list dash, and followed at most by a comment. */
function isWholeValue(text: string, from: number, to: number): boolean {
  return (
    /^(?:[^:]+:|[ \t]*-)[ \t]+$/.test(text.slice(lineStart(text, from), from)) &&
    /^[ \t]*(?:$|[ \t]#)/.test(text.slice(to, lineEnd(text, to)))
  );
}

export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
