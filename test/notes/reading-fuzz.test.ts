/** Whatever a model sends to a tool that reads, the answer is a result or a refusal, and short. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Schema } from '../../src/mcp/schema.ts';
import { notesTools } from '../../src/notes/tools.ts';
import { recordingLog } from '../support/notes/notes-storage.ts';
import { notesBench } from '../support/notes/notes-tools.ts';
import { generateVault } from '../support/notes/vault-generator.ts';

const TEXTS = fc.oneof(
  fc.constantFrom(
    ...['', ' ', '.', '..', '/', '\\', '\0', '*', '**', '?', '[', '%', '_', '"', "'", '#', '^'],
    ...['a.md', 'a', 'f/b.md', 'The title', 'daily:today', 'daily:x', '.git', '../a.md', '/a.md'],
    ...['HEAD', '--all', 'f'.repeat(40), '0-0-00000000', '1-', '1:5-2', '7d', '2026-11-15', 'MA'],
    ...['MC4w', 'LTE', '$(x)', 'NULL', "' OR 1=1 --", 'NEAR(a b)', '(a+)+$', 'constructor'],
    ...['__proto__', '\ud800', '\ufeff', '漢字', 'e\u0301', '😀', 'a AND NOT b', '..2026-11-15'],
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
);
const ANYTHING = fc.oneof(
  TEXTS,
  fc.integer(),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
  fc.array(TEXTS, { maxLength: 3 }),
);

/** Mostly what the schema asks for, sometimes anything at all. */
function anyValue(schema: Schema): fc.Arbitrary<unknown> {
  const { enum: words, type, items, properties, minimum = 0, maximum = 100 } = schema;
  let fitting: fc.Arbitrary<unknown> = TEXTS;
  if (words !== undefined) fitting = fc.constantFrom(...words);
  else if (type === 'integer') fitting = fc.integer({ min: minimum, max: maximum });
  else if (type === 'boolean') fitting = fc.boolean();
  else if (items !== undefined) fitting = fc.array(anyValue(items), { minLength: 1, maxLength: 3 });
  else if (properties !== undefined) fitting = argumentsOf(schema, []);
  return fc.oneof({ weight: 12, arbitrary: fitting }, { weight: 1, arbitrary: ANYTHING });
}

/** What must be given, and up to three of the rest. */
function argumentsOf(
  { properties = {}, required = [] }: Schema,
  without: readonly string[],
): fc.Arbitrary<object> {
  const optional = Object.keys(properties).filter(
    (name) => !required.includes(name) && !without.includes(name),
  );
  return fc.subarray(optional, { maxLength: Math.min(3, optional.length) }).chain((chosen) => {
    const names = [...required, ...chosen];
    const values = names.map((name) => [name, anyValue(properties[name]!)] as const);
    return fc.record(Object.fromEntries(values));
  });
}

test('random arguments are answered or refused, never with a failure', async (context) => {
  const files = [...generateVault({ notes: 60, seed: 3 })].map(({ path, text }) => [path, text]);
  const bench = await notesBench(context, {
    files: {
      ...Object.fromEntries(files),
      'a.md': '# The title\n\n- [ ] task\n\n[[b]]\n',
      'f/b.md': '---\nx: 1\n---\n# B\n',
      'bin.md': Buffer.from('\0\xff', 'latin1'),
    },
    git: { author: { name: 'Ada', email: 'ada@example.org' } },
  });
  const parts = { vaults: bench.vaults, log: recordingLog().log, now: () => new Date() };
  const codes = new Map<string, number>();
  for (const { name, inputSchema, annotations } of notesTools(parts)) {
    if (annotations.readOnlyHint !== true) continue;
    // An expression may take seconds to be stopped, which another test shows.
    const without = ['vault', 'max_chars', ...(name === 'vault_grep' ? ['regex'] : [])];
    await fc.assert(
      fc.asyncProperty(argumentsOf(inputSchema, without), async (args) => {
        const { isError, content } = await bench.answer(name, args);
        const texts = content.map((block) => (block.type === 'text' ? block.text : ''));
        assert.ok(texts.join('').length < 20_000, `${name} ${JSON.stringify(args)}`);
        const code = isError ? JSON.parse(texts[1]!).code : 'ok';
        codes.set(code, (codes.get(code) ?? 0) + 1);
        assert.notEqual(code, 'storage_error', `${name} ${JSON.stringify(args)}`);
      }),
      { numRuns: name === 'note_history' ? 40 : 150 },
    );
  }
  assert.ok((codes.get('ok') ?? 0) > 300, JSON.stringify([...codes]));
});
