/**
 * What the tab key offers, in real shells: bash is given the words and asked for COMPREPLY, zsh
 * is typed at through a separate terminal, where it is installed.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { PATIENCE_MS } from './support/programs/patience.ts';

const BIN = new URL('../bin/', import.meta.url).pathname;
const directory = mkdtempSync(join(tmpdir(), 'completion-'));
after(() => rmSync(directory, { recursive: true, force: true }));
mkdirSync(join(directory, 'folder'));
for (const name of ['a file.yaml', 'b*.yaml', 'a.yaml'])
  writeFileSync(join(directory, 'folder', name), '');

const scripts = new Map<string, string>();
function script(program: string, shell: string): string {
  const key = `${program}.${shell}`;
  if (!scripts.has(key)) {
    const words = [join(BIN, `${program}.ts`), 'completion', shell];
    const file = join(directory, key);
    writeFileSync(file, execFileSync(process.execPath, words, { encoding: 'utf8' }));
    scripts.set(key, file);
  }
  return scripts.get(key)!;
}

/** The words as bash splits them: an equals sign is one of its own. */
function bash(program: string, ...words: string[]): string[] {
  const ask = [
    'set -u; source "$1"; shift',
    'COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))',
    '"_$1"',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is bash that expands it
    'for word in ${COMPREPLY[@]+"${COMPREPLY[@]}"}; do printf "%s\\n" "$word"; done',
  ].join('\n');
  const args = ['--norc', '-c', ask, 'bash', script(program, 'bash'), program, ...words];
  const { stdout, stderr, status } = spawnSync('bash', args, { cwd: directory, encoding: 'utf8' });
  assert.deepEqual([status, stderr], [0, '']);
  return stdout.split('\n').slice(0, -1);
}

const offers: [program: string, words: string[], offered: string[]][] = [
  ['gateway', ['va'], ['validate']],
  ['gateway', ['--v'], ['--version']],
  ['gateway', ['nonsense', ''], []],
  ['gateway', ['completion', ''], ['bash', 'zsh']],
  ['gateway', ['completion', 'bash', ''], []],
  ['gateway', ['hashpw', '-'], ['--help']],
  ['gateway', ['validate', 'folder/a'], ['folder/a file.yaml', 'folder/a.yaml']],
  ['gateway', ['validate', 'folder/b'], ['folder/b*.yaml']],
  ['gateway', ['validate', 'folder/a.yaml', 'f'], []],
  ['gateway', ['help', 'val'], ['validate']],
  ['gateway', ['try', '--m'], ['--method']],
  ['gateway', ['try', '--config', 'folder/b'], ['folder/b*.yaml']],
  ['gateway', ['try', '--user', ''], []],
  ['gateway', ['try', '--user', 'folder/', 'fol'], []],
  ['gateway', ['audit', '--re'], ['--refused']],
  ['gateway', ['init', '--target', 'gi'], ['github', 'github-app', 'gitlab']],
  ['gateway', ['init', '--target', '=', 'home'], ['home-assistant']],
  ['decoys', ['ex'], ['export']],
  ['decoys', ['export', '--'], ['--format', '--since', '--min-hits', '--allow', '--help']],
  ['decoys', ['export', '--format', 'ip'], ['ips', 'ipset']],
  ['decoys', ['export', '--format', '=', 's'], ['stix']],
  ['decoys', ['export', '--format', '=', 'n'], ['nftables', 'nginx']],
  ['decoys', ['export', '--format', 'ips', 'folder/b'], ['folder/b*.yaml']],
  ['decoys', ['export', '--format', 'ips', 'folder/a.yaml', 'folder/b'], ['folder/b*.yaml']],
  ['decoys', ['export', '--format', '=', 'ips', 'folder/b'], ['folder/b*.yaml']],
  ['decoys', ['open', ''], []],
];
describe('bash', () => {
  for (const [program, words, offered] of offers) {
    test(`offers after ${program} ${words.join(' ')}: ${offered.join(', ') || 'nothing'}`, () => {
      assert.deepEqual(bash(program, ...words).toSorted(), offered.toSorted());
    });
  }

  for (const program of ['gateway', 'notes', 'decoys']) {
    test(`offers every command that ${program} help lists, and no other`, () => {
      const help = execFileSync(process.execPath, [join(BIN, `${program}.ts`), 'help'], {
        encoding: 'utf8',
      });
      const listed = [...help.matchAll(new RegExp(`^ {2}${program} ([a-z]+)`, 'gm'))];
      const offered = bash(program, '').filter((word) => !word.startsWith('-'));
      assert.deepEqual(
        offered,
        listed.map(([, word]) => word),
      );
      assert.ok(offered.length > 4);
    });
  }

  test('completes when a tab is typed', () => {
    const file = script('decoys', 'bash');
    const typed = `source ${file}\ndecoys() { echo "got:$*"; }\ndecoys exp\t--form\tstix\nexit\n`;
    const args = ['-qec', 'bash --norc -i', '/dev/null'];
    const { stdout } = spawnSync('script', args, {
      input: typed,
      encoding: 'utf8',
      timeout: PATIENCE_MS,
    });
    assert.match(stdout, /got:export --format stix/);
  });
});

describe('zsh', { skip: !existsSync('/usr/bin/zsh') && 'zsh is not installed' }, () => {
  /** The line after a tab, as zsh would run it: it is accepted, and the function shows its words. */
  function zsh(program: string, typed: string): string {
    const ask = `
      zmodload zsh/zpty
      zpty shell zsh -f -i
      zpty -w shell 'PS1=; unsetopt zle_bracketed_paste; autoload -U compinit; compinit -u -D'
      zpty -w shell 'source ${script(program, 'zsh')}; cd ${directory}'
      zpty -w shell '${program}() { print -r -- "go""t<$*>"; exit }; print re""ady'
      zpty -r -m shell seen '*ready*'
      zpty -w -n shell $'${typed}\\t\\n'
      zpty -r -m shell seen '*got<*>*'
      print -r -- $seen`;
    const { stdout } = spawnSync('zsh', ['-f', '-c', ask], {
      encoding: 'utf8',
      timeout: PATIENCE_MS,
    });
    return /got<(.*?)>/.exec(stdout)?.[1] ?? stdout;
  }

  for (const [program, typed, expected] of [
    ['gateway', 'gateway vali', 'validate'],
    ['gateway', 'gateway completion z', 'completion zsh'],
    ['gateway', 'gateway try --config fol', 'try --config folder'],
    ['decoys', 'decoys export --form', 'export --format'],
    ['decoys', 'decoys export --format=st', 'export --format=stix'],
    ['decoys', 'decoys export --format plai', 'export --format plain'],
    ['decoys', 'decoys report fol', 'report folder'],
  ] as const) {
    test(`makes of "${typed}": ${expected}`, () => {
      assert.equal(zsh(program, typed).trim(), expected);
    });
  }
});
