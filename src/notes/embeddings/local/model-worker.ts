/**
 * The process of the local model. A process and not a thread, because a thread that is stopped while
 * native code runs takes the whole server with it; and its memory and priority are its own.
 */
import { setPriority } from 'node:os';
import { releaseMemory } from '../../../core/garbage.ts';
import { LocalModel } from './local-model.ts';
import type { ModelMessage, ModelRequest } from './model-protocol.ts';

/** A tool call that runs at the same time goes first. */
const NICENESS = 10;

// The terminal sends Ctrl-C to the server and to us: the server stops us.
process.on('SIGINT', () => {});
process.on('disconnect', () => process.exit());

const [folder] = process.argv.slice(2);
try {
  const model = await LocalModel.load(folder);
  const { length: dimensions } = await model.embed('dimensions');
  releaseMemory();
  setPriority(NICENESS);
  process.on('message', async ({ id, text }: ModelRequest) => {
    try {
      send({ id, vector: await model.embed(text) });
    } catch (error) {
      send({ id, problem: error instanceof Error ? error.message : String(error) });
    }
  });
  send({ ready: { name: model.name, dimensions } });
} catch (error) {
  send({ failed: error instanceof Error ? error.message : String(error) });
  process.disconnect();
}

function send(message: ModelMessage): void {
  process.send?.(message);
}
