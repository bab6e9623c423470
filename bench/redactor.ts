/**
 * What redaction costs, beside two plain ways to do it in the same run.
 *
 * Run: node_modules/.bin/node bench/redactor.ts
 * Budget: 2 ms a MiB of ordinary JSON or HTML with 50 secrets in all their forms, 25 ms a MiB
 * of near misses. Each figure is the best of several rounds.
 */
import { createHash } from 'node:crypto';
import { Automaton, MATCH, ROOT } from '../src/core/redactor/automaton.ts';
import { FOLD, foldedPatterns } from '../src/core/redactor/patterns.ts';
import { Redactor } from '../src/core/redactor/redactor.ts';
import { Secret } from '../src/core/secret.ts';

const MIB = 1 << 20;

/** Bytes that look random and are the same in every run. */
let drawn = 0;
const draw = (bytes: number): Buffer =>
  createHash('shake256', { outputLength: bytes }).update(`bench ${drawn++}`).digest();

const secretsOf = (count: number): Secret[] =>
  Array.from({ length: count }, (_, index) => {
    const prefix = ['', 'sk_live_', 'ghp_', 'Bearer '][index % 4]!;
    const encoding = (['hex', 'base64url', 'base64'] as const)[index % 3]!;
    return new Secret(`s${index}`, prefix + draw(15 + (index % 20)).toString(encoding));
  });

function filled(next: () => string): Buffer {
  let text = '';
  while (text.length < MIB) text += next();
  return Buffer.from(text.slice(0, MIB));
}

const WORDS =
  'the user name of an order was created and then updated by https example items value true false null description amount currency status lorem ipsum dolor'.split(
    ' ',
  );
const words = (count: number): string =>
  Array.from(draw(count), (byte) => WORDS[byte % WORDS.length]).join(' ');

const json = (): string =>
  `${JSON.stringify({
    id: draw(4).readUInt32LE(),
    sha: draw(20).toString('hex'),
    title: words(9),
    url: `https://api.example.com/v1/items/${draw(9).toString('base64url')}`,
    nested: { created_at: '2026-01-02T03:04:05.678Z', path: 'C:\\new\n', tags: ['x', 'y'] },
  })},`;
const html = (): string =>
  `<li class="item"><a href="/items/${draw(3).readUInt8()}?a=1&amp;b=%20x">${words(12)}</a> &#39;${words(3)}&#39;</li>\n`;

const secrets = secretsOf(50);
const nearMiss = (): string => {
  const value = secrets[draw(1)[0]! % secrets.length]!.reveal();
  return `${value.slice(0, -1)}#`;
};
const echo = (): string => json() + secrets[draw(1)[0]! % secrets.length]!.reveal();

const BODIES: Record<string, Buffer> = {
  JSON: filled(json),
  HTML: filled(html),
  'JSON with \\u escapes': filled(() =>
    json().replace(/[aeiou]/g, (c) => `\\u00e${c.charCodeAt(0) % 9}`),
  ),
  'random bytes': draw(MIB),
  'base64 text': Buffer.from(draw(MIB).toString('base64').slice(0, MIB)),
  'near misses': filled(nearMiss),
  'JSON full of secrets': filled(echo),
  'one letter': Buffer.alloc(MIB, 'a'),
};

function best(run: () => void, rounds = 12): number {
  let least = Infinity;
  for (let round = 0; round < rounds; round++) {
    const begun = performance.now();
    run();
    if (round > 1) least = Math.min(least, performance.now() - begun);
  }
  return least;
}

function alternation(patterns: readonly Uint8Array[]): RegExp {
  const escaped = patterns.map((pattern) =>
    Buffer.from(pattern)
      .toString('latin1')
      .replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'),
  );
  return new RegExp(escaped.join('|'), 'gi');
}

function automatonAlone(automaton: Automaton, body: Uint8Array): number {
  let state = ROOT;
  let matches = 0;
  for (let at = 0; at < body.length; at++) {
    state = automaton.step(state, FOLD[body[at]!]!);
    if (automaton.cells[state + MATCH] !== 0) matches++;
  }
  return matches;
}

const patterns = foldedPatterns([...secrets, new Secret('eight', 'hunter2x')]);
const long = Redactor.of([...secrets, new Secret('letters', 'a'.repeat(4000))]);
const redactors = {
  '50 secrets': Redactor.of(secrets),
  'and one of 8 bytes': Redactor.of([...secrets, new Secret('eight', 'hunter2x')]),
  'and 4000 letters a': long,
};
const regExp = alternation(patterns);
const automaton = new Automaton(patterns);

const rows = Object.entries(BODIES).map(([name, body]) => {
  const figures: Record<string, string> = { 'ms per MiB': name };
  for (const [title, redactor] of Object.entries(redactors)) {
    figures[title] = best(() => redactor.bytes(body)).toFixed(2);
  }
  figures['automaton alone'] = best(() => automatonAlone(automaton, body), 4).toFixed(1);
  figures.RegExp = best(() => body.toString('latin1').replace(regExp, ''), 4).toFixed(1);
  return figures;
});
console.table(rows);

const twenty = Redactor.of(secrets.slice(0, 20));
const small = BODIES.JSON!.subarray(0, 1024);
const header = 'application/json; charset=utf-8; boundary=x';
const thousand = (run: () => void) => (): void => {
  for (let turn = 0; turn < 1000; turn++) run();
};

/** Tables of a redactor that has seen all the bodies above. */
const used = new Automaton(foldedPatterns(secrets));
for (const body of Object.values(BODIES)) automatonAlone(used, body);

console.table({
  'patterns of 51 secrets': patterns.length,
  'pattern bytes': patterns.reduce((sum, { length }) => sum + length, 0),
  'automaton of 50 after all bodies, KiB': used.cells.byteLength >> 10,
  'build for 50 secrets, ms': best(() => Redactor.of(secrets)).toFixed(1),
  'build for 1 secret, ms': best(() => Redactor.of(secrets.slice(0, 1))).toFixed(2),
  'body of 1 KiB with 20 secrets, µs': best(thousand(() => twenty.bytes(small))).toFixed(2),
  'header with 50 secrets, µs': best(thousand(() => long.text(header))).toFixed(2),
});
