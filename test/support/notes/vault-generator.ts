import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Vaults with the shape of real ones, for tests and benches: words by Zipf's law, a tree of
 * folders, notes of which most are short and a few very long, headings, links that follow fame,
 * tags, tasks, frontmatter, Japanese and Chinese, attachments. The same seed gives the same bytes.
 */
export interface GeneratedFile {
  readonly path: string;
  readonly text: string;
}

export interface VaultShape {
  readonly notes: number;
  readonly seed?: number;
  /** How many times as long as usual the notes are; with 3 half of them have over 2 KB. */
  readonly length?: number;
}

export interface Random {
  /** At least 0 and less than 1. */
  next(): number;
  below(bound: number): number;
  chance(probability: number): boolean;
  pick<Item>(items: readonly Item[]): Item;
}

const VOCABULARY = 40_000;
const FOLDERS = ['projects', 'areas', 'people', 'journal', 'reading', 'recipes', 'work', 'zettel'];
const STATUSES = ['draft', 'active', 'done', 'someday'];
const KANJI =
  '日本語東京大学新聞時間人生世界電話会社中国経済政治文化歴史科学技術研究開発自然言語処理情報';
const KANA = 'のにはをたがでとしれさあいうえおかきくけこ';

const words = makeVocabulary();

/** One note after the other, so that a hundred thousand of them need no memory. */
export function* generateVault(shape: VaultShape): Generator<GeneratedFile> {
  const seed = shape.seed ?? 1;
  const paths: string[] = [];
  for (let index = 0; index < shape.notes; index++) paths.push(notePath(seed, index));
  for (let index = 0; index < shape.notes; index++) {
    yield {
      path: paths[index]!,
      text: noteText(randomFrom(seed, index), paths, index, shape.length ?? 1),
    };
  }
  for (let index = 0; index < shape.notes / 50; index++) {
    yield { path: `attachments/image-${index}.png`, text: `not really a picture ${index}` };
  }
}

/** Writes the vault below `root` and says how many notes and bytes it has. */
export function writeVault(root: string, shape: VaultShape): { notes: number; bytes: number } {
  const made = new Set<string>();
  let notes = 0;
  let bytes = 0;
  for (const file of generateVault(shape)) {
    const full = join(root, file.path);
    const folder = dirname(full);
    if (!made.has(folder)) {
      mkdirSync(folder, { recursive: true });
      made.add(folder);
    }
    const content = Buffer.from(file.text);
    writeFileSync(full, content);
    if (!file.path.endsWith('.md')) continue;
    notes++;
    bytes += content.length;
  }
  return { notes, bytes };
}

/** A word by Zipf's law: the second most frequent is half as frequent as the first. */
export function zipfWord(random: Random): string {
  return words[Math.floor(VOCABULARY ** random.next()) - 1]!;
}

/** The mulberry32 generator: small, quick and the same everywhere. */
export function randomFrom(seed: number, stream = 0): Random {
  let state = (Math.imul(seed, 0x9e3779b1) ^ Math.imul(stream + 1, 0x85ebca6b)) >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const below = (bound: number) => Math.floor(next() * bound);
  return {
    next,
    below,
    chance: (probability) => next() < probability,
    pick: (items) => items[below(items.length)]!,
  };
}

function notePath(seed: number, index: number): string {
  const random = randomFrom(seed + 7919, index);
  const folders = [random.pick(FOLDERS)];
  while (folders.length < 4 && random.chance(0.35)) folders.push(words[50 + random.below(40)]!);
  const name = random.chance(0.04)
    ? japanese(random, 4)
    : Array.from({ length: 2 + random.below(2) }, () => words[100 + random.below(8000)]).join(' ');
  return `${folders.join('/')}/${name} ${index}.md`;
}

function noteText(random: Random, paths: readonly string[], index: number, longer: number): string {
  const lines: string[] = [];
  const title = paths[index]!.slice(paths[index]!.lastIndexOf('/') + 1, -3);
  if (random.chance(0.4)) {
    lines.push('---', `status: ${random.pick(STATUSES)}`, `rating: ${1 + random.below(5)}`);
    if (random.chance(0.5)) lines.push(`tags: [${tag(random)}, ${tag(random)}]`);
    if (random.chance(0.2)) lines.push(`aliases: [${words[9000 + (index % 20_000)]} ${index}]`);
    lines.push('---', '');
  }
  lines.push(`# ${title}`, '');
  const size = longer * noteSize(random);
  for (let written = 0; written < size; ) {
    if (written > 0 && random.chance(0.45)) {
      lines.push(`${random.chance(0.7) ? '##' : '###'} ${sentence(random, 3)}`, '');
    }
    const length = 20 + random.below(80);
    lines.push(paragraph(random, paths, length), '');
    written += length;
    if (random.chance(0.1)) {
      const due = random.chance(0.3) ? ` 📅 2026-${month(random)}-${month(random)}` : '';
      lines.push(`- [${random.chance(0.5) ? 'x' : ' '}] ${sentence(random, 5)}${due}`, '');
    }
    if (random.chance(0.03))
      lines.push('```js', `const ${zipfWord(random)} = 1; // [[no link]]`, '```', '');
  }
  return lines.join('\n');
}

/** Half of the notes have less than 130 words, one in two thousand has twenty thousand. */
function noteSize(random: Random): number {
  if (random.chance(0.0005)) return 20_000;
  return Math.floor(30 + 100 * (1 / (1 - random.next() * 0.97) - 1) ** 0.7);
}

function paragraph(random: Random, paths: readonly string[], length: number): string {
  if (random.chance(0.04)) return japanese(random, length);
  const parts: string[] = [];
  for (let index = 0; index < length; index++) {
    const word = zipfWord(random);
    if (index % 12 === 11) parts.push(`${word}.`);
    else if (random.chance(0.012)) parts.push(link(random, paths));
    else if (random.chance(0.006)) parts.push(`#${tag(random)}`);
    else parts.push(word);
  }
  return parts.join(' ');
}

/** Famous notes are linked to more often; one link in thirty leads nowhere. */
function link(random: Random, paths: readonly string[]): string {
  if (random.chance(0.03)) return `[[missing ${zipfWord(random)}]]`;
  if (random.chance(0.03)) return `![[image-${random.below(Math.max(1, paths.length / 60))}.png]]`;
  const path = paths[Math.floor(paths.length ** random.next()) - 1]!;
  const name = path.slice(path.lastIndexOf('/') + 1, -3);
  if (random.chance(0.2)) return `[${zipfWord(random)}](/${encodeURI(path)})`;
  if (random.chance(0.1)) return `[[${name}|${zipfWord(random)}]]`;
  return random.chance(0.1) ? `[[${path.slice(0, -3)}]]` : `[[${name}]]`;
}

function tag(random: Random): string {
  const top = words[20 + Math.floor(200 ** random.next())]!;
  return random.chance(0.2) ? `${top}/${words[300 + random.below(30)]}` : top;
}

function sentence(random: Random, length: number): string {
  return Array.from({ length: 1 + random.below(length) }, () => zipfWord(random)).join(' ');
}

function japanese(random: Random, length: number): string {
  let text = '';
  for (let index = 0; index < length; index++) {
    text += random.pick(random.chance(0.6) ? [...KANJI] : [...KANA]);
    if (index % 25 === 24) text += '。';
  }
  return text;
}

function month(random: Random): string {
  return String(1 + random.below(12)).padStart(2, '0');
}

function makeVocabulary(): string[] {
  const random = randomFrom(42);
  const vocabulary = new Set<string>();
  while (vocabulary.size < VOCABULARY) {
    let word = '';
    const syllables = 1 + random.below(vocabulary.size < 200 ? 2 : 4);
    for (let index = 0; index < syllables; index++) {
      word += random.pick([...'bcdfghjklmnprstvwz']) + random.pick([...'aeiouaeiouaeiouaeioué']);
      if (random.chance(0.3)) word += random.pick([...'nrstl']);
    }
    vocabulary.add(word);
  }
  return [...vocabulary];
}
