import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  hasParameter,
  injectParameters,
  maskParameters,
  type QueryValue,
  setParameters,
} from './query-string.ts';

describe('setting parameters', () => {
  const rows: [raw: string, values: Record<string, QueryValue>, result: string][] = [
    ['', {}, ''],
    ['', { a: 'x' }, 'a=x'],
    ['b=1', { a: 'x' }, 'b=1&a=x'],
    ['a=1', { a: 'x' }, 'a=x'],
    ['a=1&b=2&a=3', { a: 'x' }, 'b=2&a=x'],
    ['a', { a: 'x' }, 'a=x'],
    ['a=1=2', { a: 'x' }, 'a=x'],
    ['%61=1', { a: 'x' }, 'a=x'],
    ['api%5Fkey=1&api_key=2&api%5fkey', { api_key: 'x' }, 'api_key=x'],
    ['a+b=1&a%20b=2', { 'a b': 'x' }, 'a%20b=x'],
    ['A=1', { a: 'x' }, 'A=1&a=x'],
    ['b=1;a=2', { a: 'x' }, 'b=1;a=2&a=x'],
    ['?a=1', { a: 'x' }, '?a=1&a=x'],
    ['a%=1&%zz=2', { a: 'x' }, 'a%=1&%zz=2&a=x'],
    ["q='%27+%2B&&x=%5c\\&=", { a: 'x' }, "q='%27+%2B&&x=%5c\\&=&a=x"],
    ['a=1&', { a: 'x' }, '&a=x'],
    ['a=1', { a: [] }, ''],
    ['a=1&b=2', { a: ['x', 7, true] }, 'b=2&a=x&a=7&a=true'],
    ['', { a: 1.5, b: false, c: -0 }, 'a=1.5&b=false&c=0'],
    ['', { a: 'x&b=1#?/ +é"' }, 'a=x%26b%3D1%23%3F%2F%20%2B%C3%A9%22'],
    ['', { 'n&=': '' }, 'n%26%3D='],
    ['', { a: '\ud800' }, 'a=%EF%BF%BD'],
    ['__proto__=1&constructor=2', { a: 'x' }, '__proto__=1&constructor=2&a=x'],
    ['__proto__=1', JSON.parse('{"__proto__": "x"}'), '__proto__=x'],
  ];
  for (const [raw, values, result] of rows) {
    test(`${JSON.stringify(values)} into "${raw}" is "${result}"`, () => {
      assert.equal(setParameters(raw, values), result);
    });
  }
});

describe('an injected parameter', () => {
  const attempts = [
    ...[
      'api_key=evil',
      'api_key=evil&api_key=evil2',
      'api%5Fkey=evil',
      'api%5fkey=evil',
      'api_key',
    ],
    ...['a=1;api_key=evil', 'a=1;b;API%5FKEY=evil;c=evil', ';api_key=evil', 'api_key=1;b=evil'],
    ...['API_KEY=evil', 'Api%5FKey=evil', '%61%70%69%5f%6b%65%79=evil', 'a=1&api_key=evil&b=2'],
    // What PHP reads as api_key.
    ...['api.key=evil', 'api%2Ekey=evil', 'api%20key=evil', '%20api_key=evil', '+api_key=evil'],
    ...['api[key=evil', 'api%5Bkey=evil', 'api_key%00=evil', 'api_key%00x=evil'],
    // What PHP, Rack and qs make a list of, or take out of its brackets.
    ...['api_key[]=evil', 'api_key%5B%5D=evil', 'api_key[0]=evil', 'api_key[x][y]=evil'],
    ...['[api_key]=evil', '[api_key=evil', 'api_key]=evil', '.api_key=evil', '?api_key=evil'],
    // What protocol buffers, careless trimming and case folding make of it.
    ...[
      'apiKey=evil',
      'api-key=evil',
      '%09api_key=evil',
      'api_key%0A=evil',
      'api_%E2%84%AAey=evil',
    ],
    ...['%EF%BB%BFapi_key=evil', 'a=1;api.key=evil', 'a=1;[api_key]=evil;b=evil'],
  ];
  for (const raw of attempts) {
    test(`wins over ${raw}, which does not reach the upstream`, () => {
      const result = injectParameters(raw, { api_key: 's3cret/+' });
      const parsed = [...new URLSearchParams(result)].filter(
        ([name]) => name.toLowerCase() === 'api_key',
      );
      assert.deepEqual(parsed, [['api_key', 's3cret/+']]);
      const bySemicolon = [...new URLSearchParams(result.replaceAll(';', '&'))];
      assert.deepEqual(
        bySemicolon.filter(([name]) => name.toLowerCase() === 'api_key'),
        parsed,
      );
      assert.doesNotMatch(result, /evil/);
    });
  }

  test('leaves the bytes of the others as they were', () => {
    assert.equal(
      injectParameters("b='%27+&&API_KEY=x&c;d;&e=1;api_key=x", { api_key: 'k' }),
      "api_key=k&b='%27+&&c;d;&e=1",
    );
  });

  test('leaves what is no spelling of it', () => {
    const others = 'api=1&key=2&api[x]=3&api_keys=4&my_api_key=5&x[api_key]=6&api_key2=7&_=8&[]=9';
    assert.equal(injectParameters(others, { api_key: 'k' }), `api_key=k&${others}`);
  });

  test('in brackets is not replaced from outside, and its neighbours stay', () => {
    const values = { 'filter[token]': 'k' };
    for (const raw of [
      ...['filter[token]=evil', 'filter[token][]=evil', 'filter=evil', 'filter[]=evil'],
      ...['Filter%5BToken%5D=evil', 'filter.token=evil', 'filter_token=evil', '[filter]=evil'],
    ]) {
      assert.equal(injectParameters(`a=1&${raw}`, values), 'filter%5Btoken%5D=k&a=1', raw);
    }
    const others = 'filter[other]=1&filters=2&token=3&x[filter][token]=4';
    assert.equal(injectParameters(others, values), `filter%5Btoken%5D=k&${others}`);
  });

  test('is before all others, since some upstreams read only the first thousand', () => {
    const raw = Array.from({ length: 1_200 }, (_, index) => `p${index}=1`).join('&');
    assert.equal(injectParameters(raw, { api_key: 'k' }), `api_key=k&${raw}`);
  });
});

describe('masking', () => {
  const rows: [raw: string, names: string[], result: string][] = [
    ['', ['key'], ''],
    ['a=1&key=s3cret&b=2', ['key'], 'a=1&key=[REDACTED]&b=2'],
    ['key=s1&key=s2', ['key'], 'key=[REDACTED]&key=[REDACTED]'],
    ['k%65y=s', ['key'], 'k%65y=[REDACTED]'],
    ['KEY=s&K%45y=s', ['key'], 'KEY=[REDACTED]&K%45y=[REDACTED]'],
    ['key=s', ['KEY'], 'key=[REDACTED]'],
    ['my+key=s&my%20key=s', ['my key'], 'my+key=[REDACTED]&my%20key=[REDACTED]'],
    ['key', ['key'], 'key=[REDACTED]'],
    ['key=s=t', ['key'], 'key=[REDACTED]'],
    ['key=s;x=1', ['key'], 'key=[REDACTED]'],
    ['a=1;KEY=s;x=1&b=2', ['key'], 'a=1;KEY=[REDACTED]&b=2'],
    ['keys=1&x=key', ['key'], 'keys=1&x=key'],
    ['key[]=s&.key=s&a=1', ['key'], 'key[]=[REDACTED]&.key=[REDACTED]&a=1'],
    ['a=1', [], 'a=1'],
  ];
  for (const [raw, names, result] of rows) {
    test(`${names.join(' ')} in "${raw}" gives "${result}"`, () => {
      assert.equal(maskParameters(raw, names), result);
    });
  }
});

describe('for every query', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '',
      'key',
      'key=1',
      'k%65y=2',
      'KEY=3',
      'a=1',
      'a+b=%20',
      '=',
      '%',
      'k%',
      'x;key=1',
    ),
    fc.string({ maxLength: 6 }).map((text) => text.replaceAll('&', '')),
  );
  const query = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join('&'));

  test('an upstream reads what was set and nothing else of that name', () => {
    fc.assert(
      fc.property(
        query,
        fc.string(),
        fc.array(fc.string(), { minLength: 1 }),
        (raw, name, values) => {
          const parsed = new URLSearchParams(
            `&${setParameters(raw, Object.fromEntries([[name, values]]))}`,
          );
          assert.deepEqual(parsed.getAll(name), values);
          const others = ([other]: [string, string]) => other !== name;
          assert.deepEqual(
            [...parsed].filter(others),
            [...new URLSearchParams(`&${raw}`)].filter(others),
          );
        },
      ),
    );
  });

  test('names are read as the parser of the web reads them, though it is seldom asked', () => {
    const name = fc.oneof(
      fc.constantFrom('a', '', '?', '?a', 'a+b', '%61', '%', '%zz', '%C3%A9', '%ff', 'é', '\ud800'),
      fc.string({ maxLength: 4, unit: 'binary' }).map((text) => text.replace(/[&=;]/g, '')),
    );
    const piece = fc
      .tuple(name, fc.constantFrom('', '=', '=x', '==', '=%61=+'))
      .map((both) => both.join(''));
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 5 }), (pieces) => {
        const seen: string[] = [];
        hasParameter(pieces.join('&'), (each) => seen.push(each) === 0);
        const unlike = [...new Set(pieces)].filter((each) => each !== '');
        const asParsed = unlike.map((each) => [...new URLSearchParams(`&${each}`).keys()][0]);
        assert.deepEqual(seen, asParsed);
      }),
    );
  });

  test('hardly a piece of a long query is given to that parser', () => {
    const asked = countParsers(() => {
      for (const raw of [';'.repeat(16_000), '&'.repeat(16_000), 'a=%20;'.repeat(3_000)]) {
        assert.equal(maskParameters(raw, ['key']), raw);
        assert.equal(injectParameters(raw, { key: 'x' }), `key=x&${raw}`);
      }
    });
    assert.equal(asked, 0);
  });

  test('a masked parameter has no other value left, and the others are as they were', () => {
    fc.assert(
      fc.property(query, (raw) => {
        const masked = maskParameters(raw, ['key']);
        for (const [name, value] of new URLSearchParams(`&${masked}`)) {
          if (name.toLowerCase() === 'key') assert.equal(value, '[REDACTED]');
        }
        for (const [name, value] of new URLSearchParams(`&${masked.replaceAll(';', '&')}`)) {
          if (name.toLowerCase() === 'key') assert.match(value, /^(\[REDACTED\])?$/);
        }
        const kept = (text: string) =>
          text.split('&').filter((part) => !/(^|;)k(e|%65)y($|[=;])/i.test(part));
        assert.deepEqual(kept(maskParameters(raw, ['key'])), kept(raw));
      }),
    );
  });
});

/** How often a URLSearchParams was made meanwhile. */
function countParsers(work: () => void): number {
  const Original = globalThis.URLSearchParams;
  let count = 0;
  globalThis.URLSearchParams = class extends Original {
    constructor(text: string) {
      super(text);
      count += 1;
    }
  };
  try {
    work();
  } finally {
    globalThis.URLSearchParams = Original;
  }
  return count;
}
