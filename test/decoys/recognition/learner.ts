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

export type Family = 'length' | 'value' | 'sentence' | 'three lines' | 'all lines';

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
}

/** Words in at least half of the answers are the text of a template; the rest are its values. */
const PILOT_KEYS = 60;
const PRUNE_EVERY = 250;
/** A template of fewer lines is what the format leaves no choice about. */
const MIN_LINES = 4;
const MIN_WORDS = 4;
const DAY = 20_777;
const client = { address: parseAddress('203.0.113.7')!, learntFrom: 'socket' } as const;

/** One request for each definition, and those of the kinds that need code. */
export function requests(): Request[] {
  const defined = builtIns().flatMap(({ tag, decoys }) =>
    decoys.flatMap(({ paths, methods }) => {
      const path = paths[0]!.text.toLowerCase().replaceAll('**/', '').replaceAll('*', 'x');
      const method = methods === 'any' ? 'GET' : methods[0]!;
      return { name: `${method} ${path}`, tag, method, path, query: '', body: '' };
    }),
  );
  const asked = CORPUS.filter(({ tag }) => !builtIns().some((file) => file.tag === tag)).map(
    ({ tag, method, target, body = '' }) => {
      const [path = '', query = ''] = target.toLowerCase().split('?');
      return { name: `${method} ${target} ${body}`.trim(), tag, method, path, query, body };
    },
  );
  return [...defined, ...asked];
}

/** The answers of one deployment. */
function answersOf(seed: string, asked: readonly Request[]): (Answer | undefined)[] {
  const key = new Secret('decoys key', seed);
  const decoys = new Decoys({ key, site: 'decoys', now: () => DAY * 86_400_000 });
  return asked.map(({ method, path, query, body }) =>
    decoys.find({ method, path, query, headers: {}, client, day: DAY })?.answer(body),
  );
}

/** The expressions that recognise more than `limit` of the unseen half of the keys. */
export function learn(keys: number, limit: number): Expression[] {
  const asked = requests();
  const templates = wordsOfTemplates(asked);
  const half = Math.floor(keys / 2);
  const seen = asked.map(() => new Map<string, number>());
  for (let index = 0; index < half; index++) {
    const answers = answersOf(`seen ${index}`, asked);
    answers.forEach((answer, at) => {
      if (!answer) return;
      for (const text of expressions(answer, templates[at]!)) {
        seen[at]!.set(text, (seen[at]!.get(text) ?? 0) + 1);
      }
    });
    if (index % PRUNE_EVERY === PRUNE_EVERY - 1) {
      for (const counts of seen) prune(counts, Math.max(1, (index * limit) / 4));
    }
  }
  for (const counts of seen) prune(counts, Math.max(1, half * limit));
  const unseen = seen.map((counts) => new Map([...counts.keys()].map((text) => [text, 0])));
  for (let index = 0; index < keys - half; index++) {
    const answers = answersOf(`unseen ${index}`, asked);
    answers.forEach((answer, at) => {
      if (!answer) return;
      for (const text of expressions(answer, templates[at]!)) {
        const count = unseen[at]!.get(text);
        if (count !== undefined) unseen[at]!.set(text, count + 1);
      }
    });
  }
  return asked.flatMap(({ name, tag }, at) =>
    [...unseen[at]!].flatMap(([text, count]) => {
      const share = count / (keys - half);
      const [family, rest] = [text.slice(0, text.indexOf(':')), text.slice(text.indexOf(':') + 1)];
      if (share <= limit) return [];
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
    answersOf(`pilot ${index}`, asked).forEach((answer, at) => {
      for (const word of new Set(wordsOf(answer?.body ?? ''))) {
        counts[at]!.set(word, (counts[at]!.get(word) ?? 0) + 1);
      }
    });
  }
  return counts.map(
    (one) => new Set([...one].filter(([, n]) => n >= PILOT_KEYS / 10).map(([word]) => word)),
  );
}

/** Each once: `<family>:<text>`. */
function expressions({ status, body, headers }: Answer, template: Set<string>): Set<string> {
  const found = new Set([`length:${status} ${body.length}`]);
  const lines = body.split('\n').filter((line) => line.trim() !== '');
  const skeletons = lines.map((line) => skeleton(line, template));
  for (const [at, line] of lines.entries()) {
    const words = wordsOf(skeletons[at]!);
    if (words.filter((word) => /[a-z]{2}/i.test(word)).length >= MIN_WORDS && isProse(line)) {
      found.add(`sentence:${skeletons[at]}`);
    }
  }
  for (const part of [...lines, ...headers]) {
    for (const value of part.match(/[\w.:/@+-]{4,}/g) ?? []) {
      if (/\d{3}|\d\.\d/.test(value)) found.add(`value:${value}`);
    }
  }
  if (lines.length >= MIN_LINES) {
    for (let at = 2; at < lines.length; at++) {
      found.add(`three lines:${skeletons.slice(at - 2, at + 1).join('\n')}`);
    }
    found.add(`all lines:${skeletons.join('\n')}`);
  }
  return found;
}

/** Text that a person thought of: words with spaces between, and hardly anything else. */
function isProse(line: string): boolean {
  return /(?:[A-Za-z,.;`']+ ){3}[A-Za-z]+/.test(line);
}

/** What a regular expression would keep of a line: values of any kind match `*`. */
function skeleton(line: string, template: Set<string>): string {
  return line
    .replace(/[A-Za-z0-9_]+/g, (word) => (template.has(word) ? word.replace(/\d{3,}/, '9') : '*'))
    .replace(/\*(?:[-+/=.@:$]*\*)+/g, '*');
}
