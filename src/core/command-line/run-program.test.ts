import assert from 'node:assert/strict';
import { test } from 'node:test';
import { command, type Program } from './program.ts';
import { runProgram } from './run-program.ts';

/** What `pour` was called with last. */
let poured: unknown;

const KETTLE: Program = {
  name: 'kettle',
  summary: 'boils water',
  serve: async () => 7,
  commands: {
    pour: command({
      summary: 'pour a cup',
      arguments: [{ name: 'cup' }, { name: 'saucer', isOptional: true }],
      flags: {
        sort: { summary: 'what kind', value: 'KIND', choices: ['green', 'black'] },
        with: { summary: 'add something', value: 'THING', repeats: true },
        slowly: { summary: 'do not spill' },
      },
      details: 'Mind the steam.',
      run: ({ args, flags }) => {
        poured = { args, flags };
        return 3;
      },
    }),
    descale: command({
      summary: 'clean it',
      flags: { agent: { summary: 'what with', value: 'AGENT', isRequired: true } },
      run: ({ flags }) => flags.agent.length,
    }),
    rest: command({ summary: 'do nothing', run: () => 0 }),
    drop: command({
      summary: 'break',
      run: async () => {
        throw new Error('the kettle is broken');
      },
    }),
  },
  notes: 'Environment: none.',
};

async function run(words: readonly string[], hasColours = false) {
  let [out, err] = ['', ''];
  const output = {
    out: (line: string) => {
      out += `${line}\n`;
    },
    err: (line: string) => {
      err += `${line}\n`;
    },
    write: (text: string) => {
      out += text;
    },
    isTerminal: hasColours,
    hasColours,
  };
  poured = undefined;
  const code = await runProgram(KETTLE, words, {}, output);
  return { code, out, err };
}

test('a command that breaks says why in one line, without a stack trace', async () => {
  const expected = { code: 1, out: '', err: 'kettle drop failed: the kettle is broken\n' };
  assert.deepEqual(await run(['drop']), expected);
});

test('without a command it serves', async () => {
  assert.deepEqual(await run([]), { code: 7, out: '', err: '' });
});

const NOTHING = { sort: undefined, with: [], slowly: false };
const understood: [words: string[], args: string[], flags: object][] = [
  [['mug'], ['mug'], NOTHING],
  [['mug', 'plate'], ['mug', 'plate'], NOTHING],
  [['--sort', 'green', 'mug'], ['mug'], { ...NOTHING, sort: 'green' }],
  [['mug', '--sort=black'], ['mug'], { ...NOTHING, sort: 'black' }],
  [
    ['--with', 'milk', '--slowly', 'mug', '--with=a=b'],
    ['mug'],
    { ...NOTHING, with: ['milk', 'a=b'], slowly: true },
  ],
  [['--with=--milk', '-'], ['-'], { ...NOTHING, with: ['--milk'] }],
  [['--with=', 'mug'], ['mug'], { ...NOTHING, with: [''] }],
  [['--with', '-3', 'mug'], ['mug'], { ...NOTHING, with: ['-3'] }],
  [['--', '--sort', '-h'], ['--sort', '-h'], NOTHING],
];
for (const [words, args, flags] of understood) {
  test(`understood: pour ${words.join(' ')}`, async () => {
    assert.deepEqual(await run(['pour', ...words]), { code: 3, out: '', err: '' });
    assert.deepEqual(poured, { args, flags });
  });
}

const misunderstood: [words: string[], message: string][] = [
  [['por'], 'unknown command "por" (did you mean "pour"?); kettle help lists the commands'],
  [['toString'], 'unknown command "toString"; kettle help lists the commands'],
  [['--sort'], 'unknown command "--sort"; kettle help lists the commands'],
  [
    ['help', 'resst'],
    'unknown command "resst" (did you mean "rest"?); kettle help lists the commands',
  ],
  [['pour'], 'no cup given: pour <cup> [saucer] [flags]; kettle help pour tells more'],
  [['pour', 'a', 'b', 'hunter2'], 'too many arguments after pour; kettle help pour tells more'],
  [['rest', 'hunter2'], 'too many arguments after rest; kettle help rest tells more'],
  [['rest', '--', '--hunter2'], 'too many arguments after rest; kettle help rest tells more'],
  [
    ['pour', 'a', '--srot=hunter2'],
    'unknown flag "--srot" (did you mean "--sort"?) after pour; kettle help pour tells more',
  ],
  [['rest', '--loudly'], 'unknown flag "--loudly" after rest; kettle help rest tells more'],
  [['rest', '--toString'], 'unknown flag after rest; kettle help rest tells more'],
  [['rest', '-hunter2'], 'unknown flag after rest; kettle help rest tells more'],
  [['rest', '--Hunter2!'], 'unknown flag after rest; kettle help rest tells more'],
  [
    ['pour', 'a', '--sort', 'red'],
    '--sort is not one of green, black; kettle help pour tells more',
  ],
  [['pour', 'a', '--slowly=no'], '--slowly takes no value; kettle help pour tells more'],
  [
    ['pour', '--sort=green', 'a', '--sort=green'],
    '--sort is given twice; kettle help pour tells more',
  ],
  [
    ['pour', 'a', '--with', '--slowly'],
    '--with needs a value; write --with=THING for one that begins with --; kettle help pour tells more',
  ],
  [
    ['pour', 'a', '--with'],
    '--with needs a value; write --with=THING for one that begins with --; kettle help pour tells more',
  ],
  [['descale'], '--agent is missing; it takes AGENT; kettle help descale tells more'],
  [['completion', 'fish'], 'the shell is not one of bash, zsh'],
];
for (const [words, message] of misunderstood) {
  test(`not understood: ${words.join(' ')}`, async () => {
    assert.deepEqual(await run(words), { code: 2, out: '', err: `${message}\n` });
    assert.equal(poured, undefined);
  });
}

test('help shows every command, and each command its own', async () => {
  const expected = `kettle: boils water

  kettle                              run the server
  kettle pour <cup> [saucer] [flags]  pour a cup
  kettle descale --agent AGENT        clean it
  kettle rest                         do nothing
  kettle drop                         break
  kettle completion <shell>           print a script that completes commands and flags
  kettle version                      show version, commit and build date
  kettle help [command]               show this, or more of one command

kettle help <command> tells more of one.

Environment: none.
`;
  for (const word of ['help', '--help', '-h']) {
    assert.deepEqual(await run([word]), { code: 0, out: expected, err: '' });
  }
  const pour = `kettle pour <cup> [saucer] [flags]: pour a cup

  --sort green|black  what kind
  --with THING        add something
  --slowly            do not spill

Mind the steam.
`;
  for (const words of [
    ['help', 'pour'],
    ['pour', '--help'],
    ['pour', 'a', 'b', '--slowly', '-h'],
  ]) {
    assert.deepEqual(await run(words), { code: 0, out: pour, err: '' });
  }
});

test('help for a flag that is needed runs nothing', async () => {
  const { code, out } = await run(['descale', '--help']);
  assert.equal(code, 0);
  assert.match(out, /^kettle descale --agent AGENT: clean it\n\n {2}--agent AGENT {2}what with\n$/);
});

test('colours are written where the output takes them, and nowhere else', async () => {
  const sequence = '\x1b';
  assert.ok((await run(['help'], true)).out.includes(`${sequence}[1mkettle${sequence}[22m: boils`));
  assert.ok(!(await run(['help'])).out.includes(sequence));
});
