/**
 * What redaction costs, beside two plain ways to do it in the same run.
 *
 *   node_modules/.bin/node bench/redactor.ts
 *
 * Budget: 2 ms a MiB of ordinary JSON or HTML with 50 secrets in all their forms, 30 ms a MiB
 * of near misses, 120 ms a MiB of whatever is made to be slow. Each figure is the best of many rounds, so
 * a busy machine counts little.
 */
import { createHash } from 'node:crypto';
import { Automaton, MATCH, ROOT } from '../src/core/redactor/automaton.ts';
import { FOLD } from '../src/core/redactor/fold.ts';
import { compilePatterns } from '../src/core/redactor/patterns.ts';
import { Redactor } from '../src/core/redactor/redactor.ts';
import { Secret } from '../src/core/secrets/secret.ts';

const MIB = 1 << 20;

/** Bytes that look random and are the same in every run. */
let drawn = 0;
const draw = (bytes: number): Buffer =>
  createHash('shake256', { outputLength: bytes }).update(`bench ${drawn++}`).digest();

const secrets = Array.from({ length: 50 }, (_, index) => {
  const prefix = ['', 'sk_live_', 'ghp_', 'Bearer '][index % 4]!;
  const encoding = (['hex', 'base64url', 'base64'] as const)[index % 3]!;
  return new Secret(`s${index}`, prefix + draw(15 + (index % 20)).toString(encoding));
});
const eightBytes = new Secret('eight', 'hunter2x');
const letters = new Secret('letters', 'a'.repeat(4000));

const WORDS =
  'the user name of an order was created and then updated by https example items value true false null description amount currency status lorem ipsum dolor'.split(
    ' ',
  );
const words = (count: number): string =>
  Array.from(draw(count), (byte) => WORDS[byte % WORDS.length]).join(' ');
const anySecret = (): string => secrets[draw(1)[0]! % secrets.length]!.reveal();

const json = (): string =>
  `${JSON.stringify({
    id: draw(4).readUInt32LE(),
    sha: draw(20).toString('hex'),
    title: words(9),
    url: `https://api.example.com/v1/items/${draw(9).toString('base64url')}`,
    nested: { created_at: '2026-01-02T03:04:05.678Z', path: 'C:\\new\n', tags: ['x', 'y'] },
  })},`;
const html = (): string =>
  `<li class="item"><a href="/items/${draw(1)[0]}?a=1&amp;b=%20x">${words(12)}</a> &#39;${words(3)}&#39;</li>\n`;
const escaped = (): string =>
  json().replace(/[aeiou]/g, (vowel) => `\\u00e${vowel.charCodeAt(0) % 9}`);

function filled(next: () => string): Buffer {
  const parts: string[] = [];
  for (let length = 0; length < MIB; ) length += parts[parts.push(next()) - 1]!.length;
  return Buffer.from(parts.join('').slice(0, MIB));
}

const bodies = () => ({
  JSON: filled(json),
  HTML: filled(html),
  'JSON, every vowel escaped': filled(escaped),
  'random bytes': draw(MIB),
  'base64 text': filled(() => draw(3000).toString('base64')),
  'near misses': filled(() => `${anySecret().slice(0, -1)}#`),
  'JSON full of secrets': filled(() => json() + anySecret()),
  'one letter': Buffer.alloc(MIB, 'a'),
  ampersands: Buffer.alloc(MIB, '&'),
  'escapes of escapes': Buffer.alloc(MIB, '%25'),
});

function bestMs(run: () => void, rounds = 30): number {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round++) {
    const begun = performance.now();
    run();
    least = Math.min(least, performance.now() - begun);
  }
  return least;
}

/** The time of one run, in microseconds, of something too short to time alone. */
const bestUs = (run: () => void): number =>
  bestMs(() => {
    for (let turn = 0; turn < 1000; turn++) run();
  });

function alternation(patterns: readonly Uint8Array[]): RegExp {
  const sources = patterns.map((pattern) =>
    Buffer.from(pattern)
      .toString('latin1')
      .replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'),
  );
  return new RegExp(sources.join('|'), 'gi');
}

function automatonAlone(automaton: Automaton, body: Uint8Array): number {
  let state = ROOT;
  let matches = 0;
  for (const byte of body) {
    state = automaton.step(state, FOLD[byte]!);
    if (automaton.cells[state + MATCH] !== 0) matches++;
  }
  return matches;
}

/** Texts made to be slow, each with the secret it is made for. */
const FLOODS: readonly (readonly [name: string, unit: string, secret: string])[] = [
  ['ampersands', '&', 'hunter2x-hunter3'],
  ['references', '&#38;', 'hunter2x-hunter3'],
  ['anchors inside backslashes', `${'\\'.repeat(30)}abcd`, '\\-\\-\\-abcd-x'],
  ['anchors, half escaped', '\\x2d\\u002d-&#45;-abcd', '-----abcd-----x'],
  ['near misses of signs alone', '!@#$%^*()_+{}|:<>', '!@#$%^*()_+{}|:<>?'],
  ['a password of 18 characters', 'Pa$sw0rd+kx/yq=zw8', 'Pa$sw0rd+kx/yq=zw8'],
  ['a password but for its first', 'a\\$sw0rd\\+kx\\/yq\\=zw8', 'Pa$sw0rd+kx/yq=zw8'],
  [
    'a connection string, escaped',
    'ostgres&#0058;\\u002f\\u002fapp\\_user%3ap%2540ss\\&w0rd@db.internal:5432\\/prod',
    'postgres://app_user:p%40ss&w0rd@db.internal:5432/prod',
  ],
  [
    'a keyboard row behind rows of backslashes',
    `asdf${'\\'.repeat(8)}\\%25&amp;'ghjk${'\\'.repeat(8)}%&'`,
    "\\%&'asdf\\%&'ghjk\\%",
  ],
  ['600 backslashes', `${'\\'.repeat(1800)}abcdefg-z`, `-${'\\'.repeat(600)}abcdefg-z`],
  [
    '600 backslashes behind the anchor',
    `abcdefg${'\\'.repeat(1800)}`,
    `z-abcdefg${'\\'.repeat(600)}-`,
  ],
  [
    '600 backslashes in rows of three',
    `${'\\\\\\-'.repeat(200)}abcdefg-z`.slice(1).replace(/[^a-z]/g, '\\\\\\\\$&'),
    `${'\\\\\\-'.repeat(200)}abcdefg-z`,
  ],
  ['600 percent signs', `${'%25'.repeat(900)}abcdefg-z`, `-${'%'.repeat(600)}abcdefg-z`],
  ['a keyboard row', `${'\\'.repeat(16)}\\%&'asdf\\%&'ghjk`, "\\%&'asdf\\%&'ghjk\\%"],
];

/** The plainest redactor: one automaton over the raw values and their JSON, which reads every byte. */
function plainAutomaton(): Automaton {
  const values = secrets.flatMap((secret) => [
    secret.reveal(),
    JSON.stringify(secret.reveal()).slice(1, -1),
  ]);
  const folded = new Set(values.map((value) => value.toLowerCase()));
  return new Automaton([...folded].toSorted().map((value) => Buffer.from(value, 'latin1')));
}

/** Rows of what is measured, its figure and its budget. */
export function measureRedactor(): [string, string, string][] {
  const redactor = Redactor.of(secrets);
  const twenty = Redactor.of(secrets.slice(0, 20));
  const { JSON: ordinary, HTML: page, 'near misses': near } = bodies();
  const small = ordinary.subarray(0, 1024);
  const plain = plainAutomaton();
  const ratio = (body: Buffer): string =>
    (bestMs(() => redactor.bytes(body)) / bestMs(() => automatonAlone(plain, body))).toFixed(2);
  const header = 'application/json; charset=utf-8; boundary=x';
  const perMiB = (body: Uint8Array): string =>
    `${bestMs(() => redactor.bytes(body)).toFixed(2)} ms`;
  return [
    ['redaction, MiB of JSON, 50 secrets', perMiB(ordinary), 'under 2 ms'],
    ['redaction, MiB of HTML, 50 secrets', perMiB(page), 'under 2 ms'],
    ['redaction of JSON, beside an automaton over the plain values', ratio(ordinary), 'under 1'],
    ['redaction of HTML, beside an automaton over the plain values', ratio(page), 'under 1'],
    ['redaction, MiB of near misses, 50 secrets', perMiB(near), 'under 30 ms'],
    ...FLOODS.map(([name, unit, value]): [string, string, string] => {
      const flooded = Redactor.of([...secrets, new Secret('flood', value)]);
      const body = filled(() => unit.repeat(100));
      const least = bestMs(() => flooded.bytes(body), 10).toFixed(1);
      return [`redaction, MiB of ${name}`, `${least} ms`, 'under 120 ms'];
    }),
    [
      'redaction, 1 KiB of JSON, 20 secrets',
      `${bestUs(() => twenty.bytes(small)).toFixed(2)} µs`,
      'a few µs',
    ],
    [
      'redaction, a header, 50 secrets',
      `${bestUs(() => redactor.text(header)).toFixed(2)} µs`,
      'about 1 µs',
    ],
    [
      'redactor built for 50 secrets',
      `${bestMs(() => Redactor.of(secrets)).toFixed(1)} ms`,
      'a few ms',
    ],
  ];
}

/** Every kind of body, beside an automaton that reads every byte and a regular expression. */
function compare(): void {
  const redactors = {
    '50 secrets': Redactor.of(secrets),
    'and one of 8 bytes': Redactor.of([...secrets, eightBytes]),
    'and 4000 letters a': Redactor.of([...secrets, letters]),
  };
  const { folded } = compilePatterns(secrets);
  const patterns = folded.toSorted().map((form) => Buffer.from(form, 'latin1'));
  const automaton = new Automaton(patterns);
  const regExp = alternation(patterns);
  const rows = Object.entries(bodies()).map(([name, body]) => {
    const figures: Record<string, string> = { 'ms per MiB': name };
    for (const [title, redactor] of Object.entries(redactors)) {
      figures[title] = bestMs(() => redactor.bytes(body)).toFixed(2);
    }
    figures['automaton alone'] = bestMs(() => automatonAlone(automaton, body), 6).toFixed(1);
    figures.RegExp = bestMs(() => body.toString('latin1').replace(regExp, ''), 6).toFixed(1);
    return figures;
  });
  console.table(rows);
  const patternBytes = patterns.reduce((sum, { length }) => sum + length, 0);
  console.log(`${patterns.length} patterns of ${patternBytes} bytes`);
  console.log(`automaton after all bodies: ${automaton.cells.byteLength >> 10} KiB`);
}

if (import.meta.main) {
  compare();
  for (const row of measureRedactor()) console.log(row.join('  |  '));
}
