/**
 * A process that writes into a vault without pause, for tests that kill it. It prints one line for
 * each change in the moment it is acknowledged: `kind version change_id`.
 */
import { writeSync } from 'node:fs';
import { createLog } from '../../../src/core/log/log.ts';
import { Vault } from '../../../src/notes/vaults/vault.ts';
import { at } from './notes-storage.ts';

const [root = '', git, startText = '0'] = process.argv.slice(2);
const vault = await Vault.open({
  name: 'vault',
  root,
  difference: () => '',
  ...(git === 'git' && { git: { author: { name: 'n', email: 'n@localhost' } } }),
  log: createLog({ level: 'error', write: () => {} }),
});

/** A content that shows whether it is whole. */
function version(number: number): Buffer {
  return Buffer.from(`${number}\n${'x'.repeat((number % 7) * 3000)}\n${number}\n`);
}

function acknowledge(kind: string, number: number, changeId: string | null): void {
  writeSync(1, `${kind} ${number} ${changeId}\n`);
}

async function singles(name: string): Promise<never> {
  for (let number = Number(startText) + 1; ; number++) {
    const path = at(name);
    const { changeId } = await vault.changes.run({ tool: 'single', scope: [path] }, async (tx) => {
      if (await tx.find(path)) await tx.write(path, version(number));
      else await tx.create(path, version(number));
    });
    acknowledge(name, number, changeId);
  }
}

/** Two notes always get the same version, and a folder goes to and fro with a note that names it. */
async function many(): Promise<never> {
  for (let number = Number(startText) + 1; ; number++) {
    const { changeId } = await vault.changes.run({ tool: 'many', scope: 'vault' }, async (tx) => {
      const from = (await tx.find(at('left/moved.md'))) ? 'left' : 'right';
      const to = from === 'left' ? 'right' : 'left';
      await tx.moveFolder(at(from), at(to));
      await tx.write(at(`${to}/moved.md`), version(number));
      await tx.write(at('where.md'), Buffer.from(to));
      await tx.remove(at('short-lived.md'));
      await tx.create(at('short-lived.md'), version(number));
      await tx.write(at('twin.md'), version(number));
    });
    acknowledge('many', number, changeId);
  }
}

await Promise.all([singles('a.md'), singles('b/b.md'), many()]);
