/**
 * What is embedded of a section: the title of its note, its headings, and the start of its prose. Code,
 * badges, addresses and signs are left out: a vector is a mean over all words, and they are not what a
 * person asks for by meaning.
 */
import { createHash } from 'node:crypto';
import { SECTIONS_PER_NOTE } from '../store/schema.ts';

/** The packaged model was trained on texts of some 128 tokens. */
const MAX_LENGTH = 600;
/** So much is read of a section to find so much prose. */
const MAX_READ = 6000;
const MAX_HEADINGS = 300;
const HASH_BYTES = 16;

/** A row of `sections`. */
export interface SectionRow {
  readonly id: number;
  readonly heading_path: string;
  readonly body_start: number;
  readonly text: string;
}

/** Empty where a section says nothing. */
export function sectionText(title: string, row: SectionRow): string {
  const headingPath = JSON.parse(row.heading_path) as string[];
  const body = row.text.slice(row.body_start, row.body_start + MAX_READ);
  if (body.trim() === '' && headingPath.length === 0) return '';
  const names = headingPath[0] === title ? headingPath : [title, ...headingPath];
  const head = names.join(': ').replaceAll('`', '').slice(0, MAX_HEADINGS);
  const isFrontmatter = row.id % SECTIONS_PER_NOTE === 0 && FRONTMATTER.test(body);
  // A text that is nothing but code, and has no heading, is known by the code.
  const text = isFrontmatter
    ? describedIn(body)
    : prose(body) || (headingPath.length === 0 ? words(body) : '');
  return (text === '' ? head : `${head}. ${text}`).slice(0, MAX_LENGTH).toWellFormed();
}

/** Names the text: a section that is moved keeps its vector. */
export function textHash(text: string): Buffer {
  return createHash('sha256').update(text).digest().subarray(0, HASH_BYTES);
}

const FRONTMATTER = /^---\r?\n(?=\S)/;
const DESCRIPTION =
  /^(?:description|summary|subtitle|excerpt|abstract|keywords|tags|aliases):[ \t]*(\S.*)$/gim;

/** Of frontmatter only what tells what the note is about. */
function describedIn(frontmatter: string): string {
  const values = [...frontmatter.matchAll(DESCRIPTION)].map(([, value]) => words(value!));
  return values.map((value) => value.replace(/^["']|["']$/g, '')).join('. ');
}

const CODE = /^(`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:^\1[^\n]*$|$(?![\s\S]))/gm;
const MODULES = /^(?:import|export) .*["'{].*$/gm;
const COMMENT = /<!--[\s\S]*?-->/g;
/** An image, alone or as the text of a link. */
const IMAGE =
  /\[?!\[[^\]]{0,300}\](?:\([^)]{0,500}\)|\[[^\]]{0,300}\])?(?:\](?:\([^)]{0,500}\)|\[[^\]]{0,300}\]))?/g;
const DEFINITION = /^[ \t]*\[[^\]]{1,300}\]:\s.*$/gm;
const TABLE_RULE = /^[\s:|-]+$/gm;

function prose(body: string): string {
  return words([CODE, MODULES, COMMENT, IMAGE, DEFINITION].reduce(without, body));
}

function words(text: string): string {
  return text
    .replace(/\]\([^)\s]{0,500}(?:\s[^)]{0,300})?\)|\]\[[^\]]{0,300}\]/g, ']')
    .replace(/<\/?[a-z][^>]{0,300}>/gi, ' ')
    .replace(/https?:\/\/\S+/g, ' ')
    .replace(TABLE_RULE, ' ')
    .replace(/[[\]`*#>|]+|[-=_~]{2,}/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

function without(text: string, pattern: RegExp): string {
  return text.replace(pattern, ' ');
}
