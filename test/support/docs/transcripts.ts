/**
 * Transcripts of a command line: the lines after `$ ` are given to a shell in which the program
 * is known by its name, and everything it prints, on either stream, must be the lines that
 * follow. A last line `exit 2` is the exit code where it is not 0. Words in angle brackets stand
 * for what differs from build to build.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

const { NODE_COMPILE_CACHE } = process.env;
const PLACEHOLDERS: Record<string, string> = {
  version: '\\d+\\.\\d+\\.\\d+\\S*',
  commit: '([0-9a-f]{7,40}|unknown)',
  date: '(\\d{4}-\\d\\d-\\d\\dT\\S+|unknown)',
  hash: '\\$2b\\$12\\$[./A-Za-z0-9]{53}',
  directory: '/\\S+',
};
const PLACEHOLDER = new RegExp(`<(${Object.keys(PLACEHOLDERS).join('|')})>`);

interface Step {
  readonly command: string;
  readonly expected: string;
}

/** A test for each command of each transcript in the folder. */
export function testTranscripts(folder: string, program: string, entry: string): void {
  const shim = mkdtempSync(join(tmpdir(), `${program}-shim-`));
  writeFileSync(join(shim, program), `#!/bin/sh\nexec "${process.execPath}" "${entry}" "$@"\n`);
  chmodSync(join(shim, program), 0o755);
  after(() => rmSync(shim, { recursive: true, force: true }));
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.txt'))) {
    for (const { command, expected } of stepsOf(readFileSync(join(folder, name), 'utf8'))) {
      test(`${name}: ${command}`, async () => {
        const printed = await run(command, folder, shim);
        if (!patternOf(expected).test(printed)) assert.equal(printed, expected);
      });
    }
  }
}

function stepsOf(transcript: string): Step[] {
  return transcript
    .split(/^\$ /m)
    .slice(1)
    .map((step) => {
      const [command = '', ...lines] = step.split('\n');
      return {
        command,
        expected: lines
          .filter((line) => !line.startsWith('# '))
          .join('\n')
          .trim(),
      };
    });
}

async function run(command: string, folder: string, shim: string): Promise<string> {
  const child = spawn('/bin/sh', ['-c', `{ ${command}\n} 2>&1`], {
    cwd: folder,
    env: {
      PATH: `${shim}:${process.env.PATH}`,
      ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  const [code] = await once(child, 'close');
  return `${printed.trimEnd()}${code === 0 ? '' : `\nexit ${code}`}`.trim();
}

function patternOf(expected: string): RegExp {
  const source = expected
    .split(PLACEHOLDER)
    .map((part, index) => (index % 2 === 0 ? RegExp.escape(part) : PLACEHOLDERS[part]));
  return new RegExp(`^${source.join('')}$`);
}
