/**
 * Learns what the answers of many deployments have in common, as somebody would who reads this package
 * and writes a signature: from the answers to one request for half of the keys come expressions, and the
 * other half shows how many deployments each recognises.
 */
import { parseAddress } from '../../../src/core/net/address.ts';
import { Secret } from '../../../src/core/secrets/secret.ts';
import { CORPUS } from '../../../src/decoys/catalogue.ts';
import { Decoys } from '../../../src/decoys/decoys.ts';
import { builtIns } from '../../../src/decoys/definitions/built-in.ts';
import type { Answer } from '../../../src/decoys/kit/answer.ts';

/**
 * A value that is no word; prose; and all lines in their order, with what differs left out. Not tried are
 * a length, which files of real servers have, too, and the set of lines in any order, which the format
 * of most files decides.
 */
export type Family = 'value' | 'sentence' | 'all lines';

export interface Expression {
  readonly request: string;
  readonly tag: string;
  readonly family: Family;
  readonly text: string;
  /** Of the unseen keys, from 0 to 1. */
  readonly share: number;
}

interface Request {
  readonly name: string;
  readonly tag: string;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly body: string;
  /** A person writes its lines in any order; else a program writes all of it. */
  readonly isFile: boolean;
}

/** Words in at least half of the answers are the text of a template; the rest are its values. */
const PILOT_KEYS = 90;
const PRUNE_EVERY = 250;
/** A template of fewer lines is what the format leaves no choice about. */
const MIN_LINES = 4;
const DAY = 20_777;
const client = { address: parseAddress('203.0.113.7')!, learntFrom: 'socket' } as const;

/** One request for each definition, and those of the kinds that need code. */
export function requests(): Request[] {
  const defined = builtIns().flatMap(({ tag, decoys }) =>
    decoys.flatMap(({ paths, methods, isFile, archive }) => {
      if (archive) return [];
      const path = paths[0]!.text.toLowerCase().replaceAll('**/', '').replaceAll('*', 'x');
      const method = methods === 'any' ? 'GET' : methods[0]!;
      return { name: `${method} ${path}`, tag, method, path, query: '', body: '', isFile };
    }),
  );
  const asked = CORPUS.filter(({ tag }) => !builtIns().some((file) => file.tag === tag)).map(
    ({ tag, method, target, body = '' }) => {
      const [path = '', query = ''] = target.toLowerCase().split('?');
      return {
        name: `${method} ${target} ${body}`.trim(),
        tag,
        method,
        path,
        query,
        body,
        isFile: false,
      };
    },
  );
  return [...defined, ...asked];
}

/** Every third request: a key is asked so few that thousands of keys take a minute or two. */
const SHARE = 3;

/** The answers of one deployment, with the places of their requests. */
function answersOf(seed: string, asked: readonly Request[], first: number): [number, Answer][] {
  const key = new Secret('decoys key', seed);
  const decoys = new Decoys({ key, site: 'decoys', now: () => DAY * 86_400_000 });
  return asked.flatMap(({ method, path, query, body }, at): [number, Answer][] => {
    if (at % SHARE !== first % SHARE) return [];
    const probe = { method, path, query, headers: {}, client, day: DAY };
    const answer = decoys.find(probe)?.answer(body);
    return answer ? [[at, answer]] : [];
  });
}

/** The expressions that recognise more than `limit` of the unseen half of the keys. */
export function learn(keys: number, limit: number): Expression[] {
  const asked = requests();
  const templates = wordsOfTemplates(asked);
  const half = Math.floor(keys / 2);
  const seen = asked.map(() => new Map<string, number>());
  for (let index = 0; index < half; index++) {
    for (const [at, answer] of answersOf(`seen ${index}`, asked, index)) {
      const counts = seen[at]!;
      for (const text of expressions(answer, templates[at]!, asked[at]!)) {
        counts.set(text, (counts.get(text) ?? 0) + 1);
      }
    }
    if (index % PRUNE_EVERY === PRUNE_EVERY - 1) {
      for (const counts of seen) prune(counts, Math.max(1, (index * limit) / SHARE / 4));
    }
  }
  const least = Math.max(1, (half * limit) / SHARE);
  for (const counts of seen) prune(counts, least);
  const unseen = seen.map((counts) => new Map([...counts.keys()].map((text) => [text, 0])));
  for (let index = 0; index < keys - half; index++) {
    for (const [at, answer] of answersOf(`unseen ${index}`, asked, index)) {
      for (const text of expressions(answer, templates[at]!, asked[at]!)) {
        const count = unseen[at]!.get(text);
        if (count !== undefined) unseen[at]!.set(text, count + 1);
      }
    }
  }
  return asked.flatMap(({ name, tag }, at) =>
    [...unseen[at]!].flatMap(([text, count]) => {
      const [family, rest] = [text.slice(0, text.indexOf(':')), text.slice(text.indexOf(':') + 1)];
      if (count <= least) return [];
      const share = Math.min(1, (count * SHARE) / (keys - half));
      return { request: name, tag, family: family as Family, text: rest, share };
    }),
  );
}

function prune(counts: Map<string, number>, least: number): void {
  for (const [text, count] of counts) if (count <= least) counts.delete(text);
}

function wordsOf(text: string): string[] {
  return text.match(/[A-Za-z0-9_]+/g) ?? [];
}

function wordsOfTemplates(asked: readonly Request[]): Set<string>[] {
  const counts = asked.map(() => new Map<string, number>());
  for (let index = 0; index < PILOT_KEYS; index++) {
    for (const [at, answer] of answersOf(`pilot ${index}`, asked, index)) {
      for (const word of new Set(wordsOf(answer.body))) {
        counts[at]!.set(word, (counts[at]!.get(word) ?? 0) + 1);
      }
    }
  }
  return counts.map(
    (one) =>
      new Set([...one].filter(([, n]) => n >= PILOT_KEYS / SHARE / 10).map(([word]) => word)),
  );
}

/** Each once: `<family>:<text>`. */
function expressions({ body }: Answer, template: Set<string>, { isFile }: Request): Set<string> {
  const found = new Set<string>();
  const lines = body.split('\n').filter((line) => line.trim() !== '');
  for (const value of body.match(/[\w.:/@+-]{4,}/g) ?? []) {
    if (/\d{3}|\d\.\d/.test(value)) found.add(`value:${value}`);
  }
  if (!isFile) return found;
  const skeletons = lines.map((line) => skeleton(line, template));
  for (const [at, line] of lines.entries()) {
    if (isProse(line)) found.add(`sentence:${skeletons[at]}`);
  }
  if (lines.length >= MIN_LINES) {
    found.add(`all lines:${skeletons.join('\n')}`);
  }
  return found;
}

/** Text that a person thought of: five words with spaces between. */
function isProse(line: string): boolean {
  return /(?:[A-Za-z,.;`']+ ){4}[A-Za-z]+/.test(line);
}

/** What a regular expression would keep of a line: values of any kind match `*`. */
function skeleton(line: string, template: Set<string>): string {
  return line
    .replace(/[A-Za-z0-9_]+/g, (word) => (template.has(word) ? word.replace(/\d{3,}/, '9') : '*'))
    .replace(/\*(?:[-+/=.@:$]*\*)+/g, '*');
}
