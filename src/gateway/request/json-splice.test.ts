import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { asJson, parseJsonPath, setJsonPath as setInJson } from './json-splice.ts';

function setJsonPath(text: string, path: readonly string[], value: string) {
  const json = asJson(text);
  return json === undefined ? { problem: 'the body is not JSON' } : setInJson(json, path, value);
}

describe('setting a field', () => {
  const rows: [what: string, text: string, path: string, result: string][] = [
    ['replaces its value', '{"k":1}', '$.k', '{"k":"V"}'],
    ['replaces an object', '{"k":{"x":[1,{}]},"a":1}', '$.k', '{"k":"V","a":1}'],
    ['replaces a list', '{"k":[[1],"]"],"a":1}', '$.k', '{"k":"V","a":1}'],
    ['replaces a string with quotes', '{"k":"a\\"}\\\\","a":1}', '$.k', '{"k":"V","a":1}'],
    ['replaces null', '{"k" : null }', '$.k', '{"k" : "V" }'],
    ['adds to an empty object', '{}', '$.k', '{"k":"V"}'],
    ['adds to a spaced empty object', ' { } ', '$.k', ' {"k":"V" } '],
    ['adds at the end', '{ "a": 1 }', '$.k', '{ "a": 1,"k":"V" }'],
    ['adds after lines', '{\r\n\t"a": [ ]\r\n}\n', '$.k', '{\r\n\t"a": [ ],"k":"V"\r\n}\n'],
    ['creates objects on the way', '{"a":1}', '$.x.y.z', '{"a":1,"x":{"y":{"z":"V"}}}'],
    ['creates objects inside', '{"x":{"a":1}}', '$.x.y.z', '{"x":{"a":1,"y":{"z":"V"}}}'],
    ['descends', '{"x":{"y":{"z":1},"w":2},"v":3}', '$.x.y.z', '{"x":{"y":{"z":"V"},"w":2},"v":3}'],
    [
      'ignores the name deeper down',
      '{"a":{"k":1},"b":[{"k":2}]}',
      '$.k',
      '{"a":{"k":1},"b":[{"k":2}],"k":"V"}',
    ],
    ['ignores the name as a value', '{"a":"k"}', '$.k', '{"a":"k","k":"V"}'],
    ['ignores another case elsewhere', '{"a":{"K":1}}', '$.k', '{"a":{"K":1},"k":"V"}'],
    [
      'keeps big and odd numbers',
      '{"n":12345678901234567890,"m":1.10e+5,"z":-0,"k":-1.5E-3}',
      '$.k',
      '{"n":12345678901234567890,"m":1.10e+5,"z":-0,"k":"V"}',
    ],
    [
      'keeps order and escapes',
      '{"b":"\\u00e9\\/","2":0,"a":"é","1":0,"k":0}',
      '$.k',
      '{"b":"\\u00e9\\/","2":0,"a":"é","1":0,"k":"V"}',
    ],
    ['keeps duplicates of other names', '{"a":1,"a":2}', '$.k', '{"a":1,"a":2,"k":"V"}'],
    [
      'keeps __proto__ as text',
      '{"__proto__":{"k":1},"constructor":2}',
      '$.k',
      '{"__proto__":{"k":1},"constructor":2,"k":"V"}',
    ],
    ['sees through an escaped name', '{"\\u006b":1}', '$.k', '{"\\u006b":"V"}'],
    ['leaves one of two', '{"k":1,"k":2}', '$.k', '{"k":"V"}'],
    [
      'leaves the last of three',
      '{"k" : 1 , "a":0 ,"\\u006b":[{"k":2}], "k":3 }',
      '$.k',
      '{"a":0 ,"k":"V" }',
    ],
    [
      'leaves one of two on the way',
      '{"x":{"k":"evil"},"x":{"y":1}}',
      '$.x.k',
      '{"x":{"y":1,"k":"V"}}',
    ],
    [
      'leaves one at every level',
      '{"x":1,"x":{"k":1,"k":2,"b":3},"c":4}',
      '$.x.k',
      '{"x":{"k":"V","b":3},"c":4}',
    ],
    ['takes odd names', '{"a-b":{"$c":1}}', '$.a-b.$c', '{"a-b":{"$c":"V"}}'],
  ];
  for (const [what, text, path, result] of rows) {
    test(`${what}: ${text}`, () => {
      assert.equal(setJsonPath(text, namesOf(path), 'V'), result);
    });
  }

  test('escapes the value', () => {
    assert.equal(setJsonPath('{}', ['k'], '"},\\\n\u0000é'), '{"k":"\\"},\\\\\\n\\u0000é"}');
  });

  const problems: [text: string, path: string, problem: RegExp][] = [
    ['', '$.k', /not JSON/],
    ['   ', '$.k', /not JSON/],
    ['{', '$.k', /not JSON/],
    ['{"k":1,}', '$.k', /not JSON/],
    ["{'k':1}", '$.k', /not JSON/],
    ['{"k":1}x', '$.k', /not JSON/],
    ['{"k":1}{"k":1}', '$.k', /not JSON/],
    ['{"k":NaN}', '$.k', /not JSON/],
    ['{"k":"\t"}', '$.k', /not JSON/],
    ['\ufeff{"k":1}', '$.k', /not JSON/],
    ['\u00a0{"k":1}', '$.k', /not JSON/],
    ['/**/{"k":1}', '$.k', /not JSON/],
    ['a=1&k=2', '$.k', /not JSON/],
    ['[]', '$.k', /object at \$$/],
    [' [{"k":1}]', '$.k', /object at \$$/],
    ['1', '$.k', /object at \$$/],
    ['"{}"', '$.k', /object at \$$/],
    ['null', '$.k', /object at \$$/],
    ['{"x":[]}', '$.x.k', /object at \$\.x$/],
    ['{"x":1}', '$.x.k', /object at \$\.x$/],
    ['{"x":null}', '$.x.k', /object at \$\.x$/],
    ['{"x":"{}"}', '$.x.k', /object at \$\.x$/],
    ['{"x":{"k":1},"x":3}', '$.x.k', /object at \$\.x$/],
    ['{"x":{"y":[{}]}}', '$.x.y.k', /object at \$\.x\.y$/],
    ['{"k":1,"K":2}', '$.k', /"K" differs .* in case, underscores or hyphens alone/],
    ['{"K":1}', '$.k', /"K" differs .* in case/],
    ['{"K":1,"k":2}', '$.k', /"K" differs .* in case/],
    ['{"x":{"k":1},"X":{}}', '$.x.k', /"X" differs .* in case/],
    ['{"X":{},"x":{"k":1}}', '$.x.k', /"X" differs .* in case/],
    ['{"k":1,"\\u212a":2}', '$.k', /in case/],
    ['{"apiKey":1}', '$.api_key', /"apiKey" differs .* underscores/],
    ['{"API-KEY":1}', '$.api_key', /"API-KEY" differs .* hyphens/],
  ];
  for (const [text, path, problem] of problems) {
    test(`${JSON.stringify(text)} with ${path} is a problem: ${problem.source}`, () => {
      const result = setJsonPath(text, namesOf(path), 'V');
      assert.ok(typeof result !== 'string', String(result));
      assert.match(result.problem, problem);
    });
  }

  test('nesting as deep as the body is long overflows no stack', () => {
    const depth = 250_000;
    const list = '['.repeat(depth) + ']'.repeat(depth);
    assert.equal(setJsonPath(`{"a":${list}}`, ['k'], 'V'), `{"a":${list},"k":"V"}`);
    const objects = `${'{"a":'.repeat(depth)}0${'}'.repeat(depth)}`;
    assert.equal(setJsonPath(`{"a":${objects},"k":0}`, ['k'], 'V'), `{"a":${objects},"k":"V"}`);
  });

  test('a hundred thousand duplicates do not multiply the value', () => {
    assert.equal(setJsonPath(`{${'"k":0,'.repeat(100_000)}"k":1}`, ['k'], 'V'), '{"k":"V"}');
  });
});

function namesOf(path: string): string[] {
  const names = parseJsonPath(path);
  assert.ok(Array.isArray(names), path);
  return names;
}

/** JSON text with free spacing, duplicate and escaped names, and numbers beyond doubles. */
const { value: jsonText } = fc.letrec<{ value: string }>((tie) => {
  const space = fc.constantFrom('', ' ', '\n\t');
  const name = fc.constantFrom(
    '"k"',
    '"\\u006b"',
    '"x"',
    '"y"',
    '"K"',
    '""',
    '"__proto__"',
    '"\\""',
  );
  const spaced = (inner: fc.Arbitrary<string>) =>
    fc.tuple(space, inner, space).map((parts) => parts.join(''));
  const field = fc.tuple(spaced(name), spaced(tie('value'))).map((parts) => parts.join(':'));
  const scalar = fc.constantFrom(
    '0',
    '-1.5e+9',
    '12345678901234567890',
    'true',
    'null',
    '"a"',
    '"]}\\""',
    '"k"',
  );
  return {
    value: fc.oneof(
      { maxDepth: 4 },
      scalar,
      fc.array(field, { maxLength: 4 }).map((fields) => `{${fields.join(',')}}`),
      fc.array(spaced(tie('value')), { maxLength: 3 }).map((items) => `[${items.join(',')}]`),
    ),
  };
});

describe('for every JSON text', () => {
  test('parsers read the injected value and all else as before', () => {
    fc.assert(
      fc.property(
        jsonText,
        fc.constantFrom(['k'], ['x', 'k'], ['x', 'y', 'k']),
        fc.string(),
        (text, path, value) => {
          const result = setJsonPath(text, path, value);
          const expected = referenceSet(JSON.parse(text), path, value);
          if (typeof result === 'string') assert.deepEqual(JSON.parse(result), expected);
          else if (!/differs/.test(result.problem)) assert.equal(expected, undefined);
        },
      ),
      { numRuns: 3000 },
    );
  });

  test('a parser that folds case reads the injected value, too', () => {
    fc.assert(
      fc.property(jsonText, fc.constantFrom(['k'], ['x', 'k']), (text, path) => {
        const result = setJsonPath(text, path, 'injected');
        if (typeof result !== 'string') return;
        let at: unknown = JSON.parse(result);
        for (const name of path) {
          const fields = Object.entries(at as object);
          const folded = fields.filter(([given]) => given.toLowerCase() === name);
          assert.equal(folded.length, 1, 'the first such field is the last');
          at = folded[0]?.[1];
        }
        assert.equal(at, 'injected');
      }),
      { numRuns: 1000 },
    );
  });

  test('setting twice is setting once, byte for byte', () => {
    fc.assert(
      fc.property(jsonText, fc.constantFrom(['k'], ['x', 'k']), (text, path) => {
        const once = setJsonPath(text, path, 'V');
        if (typeof once === 'string') assert.equal(setJsonPath(once, path, 'V'), once);
      }),
    );
  });
});

/** Sets the field in the parsed value; `undefined` where something else than an object is in the way. */
function referenceSet(root: unknown, path: readonly string[], value: string): unknown {
  let at = root;
  for (const [depth, name] of path.entries()) {
    if (typeof at !== 'object' || at === null || Array.isArray(at)) return undefined;
    const fields = at as Record<string, unknown>;
    if (depth === path.length - 1) fields[name] = value;
    else if (!Object.hasOwn(fields, name)) fields[name] = {};
    at = fields[name];
  }
  return root;
}

describe('a JSON path', () => {
  const good: [text: string, names: string[]][] = [
    ['$.a', ['a']],
    ['$.a.b', ['a', 'b']],
    ['$.api-key.$x.0', ['api-key', '$x', '0']],
    ['$.schlüssel', ['schlüssel']],
  ];
  for (const [text, names] of good) {
    test(`${text} names ${names.join(', ')}`, () => assert.deepEqual(parseJsonPath(text), names));
  }

  for (const text of [
    ...[
      '',
      '$',
      '$.',
      'a.b',
      '.a',
      '$a',
      '$..a',
      '$.a.',
      '$.a..b',
      '$.a[0]',
      "$['a']",
      '$.*',
      '$.a b',
    ],
    ...[
      '$.__proto__',
      '$.a.__proto__.b',
      '$.constructor',
      '$.a.prototype',
      '$."a"',
      '$.a\\b',
      '$.a\n',
    ],
  ]) {
    test(`${JSON.stringify(text)} is a problem`, () => {
      const result = parseJsonPath(text);
      assert.ok(!Array.isArray(result));
      assert.match(result.problem, /form \$\.a\.b|must not contain/);
    });
  }
});
