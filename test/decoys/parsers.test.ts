/**
 * What a decoy serves as JSON, YAML, XML or an INI file is read by a parser of that format, whatever the
 * key has drawn: a file that does not parse is no file that a program has read.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseAllDocuments } from 'yaml';
import { parseAddress } from '../../src/core/net/address.ts';
import { Secret } from '../../src/core/secrets/secret.ts';
import { Decoys } from '../../src/decoys/decoys.ts';
import { builtIns } from '../../src/decoys/definitions/built-in.ts';
import type { Answer } from '../../src/decoys/kit/answer.ts';
import { propertyRuns } from '../support/property-runs.ts';

const KEYS = 40;
const DAY = 20_777;
const client = { address: parseAddress('203.0.113.7')!, learntFrom: 'socket' } as const;
/** Settings of Sublime Text, which reads comments and bare names. */
const NO_JSON = ['/ftpsync.settings'];

/** The name of a format and what is wrong with a text in it, if anything. */
const FORMATS: readonly [pattern: RegExp, problem: (text: string) => string | undefined][] = [
  [/json$/, (text) => thrown(() => JSON.parse(text))],
  [/ya?ml$/, (text) => parseAllDocuments(text).flatMap((doc) => doc.errors)[0]?.message],
  [/xml$|\.config$/, problemOfXml],
  [/\.ini$/, problemOfIni],
];

for (const { tag, decoys } of builtIns()) {
  test(`parsers read what ${tag} serves`, () => {
    for (let key = 0; key < propertyRuns(KEYS); key += 1) {
      const server = new Decoys({
        key: new Secret('decoys key', `parsers ${key}`),
        site: 'decoys',
      });
      for (const { paths, methods, archive } of decoys) {
        const path = paths[0]!.text.toLowerCase();
        if (archive || path.includes('*') || NO_JSON.includes(path)) continue;
        const method = methods === 'any' ? 'GET' : methods[0]!;
        const probe = { method, path, query: '', headers: {}, client, day: DAY };
        const answer = server.find(probe)?.answer('');
        assert.ok(answer, path);
        assert.equal(problemOf(path, answer), undefined, `${path}:\n${answer.body}`);
      }
    }
  });
}

/** By the type of the answer, or by the name of a file. */
function problemOf(path: string, { headers, body }: Answer): string | undefined {
  const type = headers[headers.indexOf('Content-Type') + 1]?.replace(/;.*/, '') ?? '';
  if (body === '') return undefined;
  const format = FORMATS.find(([pattern]) => pattern.test(type) || pattern.test(path));
  return format?.[1](body);
}

function thrown(run: () => unknown): string | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    return String(error);
  }
}

/** Every element is closed by its own end tag. */
function problemOfXml(text: string): string | undefined {
  const open: string[] = [];
  const markup = text.replace(/<!--.*?-->|<!\[CDATA\[.*?\]\]>|<[?!][^>]*>/gs, '');
  for (const [tag, end, name = '', alone] of markup.matchAll(/<(\/?)([\w:.-]+)[^<>]*?(\/?)>/g)) {
    if (end === '' && alone === '') open.push(name);
    if (end !== '' && open.pop() !== name) return `${tag} closes another element`;
  }
  return open.length > 0 ? `${open.at(-1)} is not closed` : undefined;
}

/** A line is empty, a comment, a section, a setting of a section, or goes on with the one before. */
function problemOfIni(text: string): string | undefined {
  const lines = text.split('\n').filter((line) => !/^\s*(?:[;#].*)?$/.test(line));
  if (!/^\[.+\]$/.test(lines[0] ?? '')) return `${lines[0]} is in no section`;
  return lines.find((line) => !/^\[.+\]$|^[^=\s][^=]*(?:=.*)?$|^\s/.test(line));
}
