/** The copy of the log in a file, which `decoys alert` follows, of all three programs. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { notesEnvironment } from './support/notes/notes.ts';
import { entryOf } from './support/programs/entry.ts';
import { freePort } from './support/programs/free-port.ts';
import { type ProgramProcess, startProgram } from './support/programs/program.ts';

const KEY = 'a-honeytoken-master-key';
type Env = Readonly<Record<string, string>>;

/** Each with decoys, so that a stranger causes lines. */
const PROGRAMS: Readonly<
  Record<string, (port: number, folder: string, env: Env) => Promise<ProgramProcess>>
> = {
  gateway: (port, folder, env) => {
    const config = join(folder, 'gateway.yaml');
    writeFileSync(
      config,
      `server: {decoys: {key: ${KEY}}}\nusers: [{name: ada, password: "long enough a text"}]`,
    );
    const url = `http://127.0.0.1:${port}`;
    const own = {
      GATEWAY_CONFIG: config,
      GATEWAY_LISTEN: `127.0.0.1:${port}`,
      GATEWAY_PUBLIC_URL: url,
    };
    return startProgram({ entry: entryOf('gateway'), env: { ...own, ...env } });
  },
  notes: (port, folder, env) =>
    startProgram({
      entry: entryOf('notes'),
      env: { ...notesEnvironment(folder, port), NOTES_DECOYS_KEY: KEY, ...env },
    }),
  decoys: (port, _folder, env) =>
    startProgram({
      entry: entryOf('decoys'),
      env: { DECOYS_KEY: KEY, DECOYS_LISTEN: `127.0.0.1:${port}`, ...env },
    }),
};

for (const [name, start] of Object.entries(PROGRAMS)) {
  test(`${name}: every line is in the file, too, and only its group may read it as well`, async (context) => {
    const folder = mkdtempSync(join(tmpdir(), 'log-file-'));
    context.after(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, 'copy.jsonl');
    const port = await freePort();
    const program = await start(port, folder, { [`${name.toUpperCase()}_LOG_FILE`]: file });
    context.after(() => program.stop());
    await fetch(`http://127.0.0.1:${port}/.aws/credentials`);
    await program.line(({ event }) => event === 'decoy_hit');
    await program.stop();
    assert.equal(readFileSync(file, 'utf8'), program.stdout());
    assert.equal(statSync(file).mode & 0o027, 0);
  });

  test(`${name}: a file that cannot be written is said once, and stops nothing`, async (context) => {
    const folder = mkdtempSync(join(tmpdir(), 'log-file-'));
    context.after(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, 'missing', 'copy.jsonl');
    const port = await freePort();
    const program = await start(port, folder, { [`${name.toUpperCase()}_LOG_FILE`]: file });
    context.after(() => program.stop());
    await fetch(`http://127.0.0.1:${port}/.aws/credentials`);
    await program.line(({ event }) => event === 'decoy_hit');
    await program.stop();
    assert.equal(existsSync(file), false);
    assert.equal(
      program
        .stderr()
        .split('\n')
        .filter((line) => line.includes(file)).length,
      1,
    );
  });
}
