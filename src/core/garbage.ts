/**
 * Collects garbage now. V8 lets large strings and buffers pile up to limits of its own, which
 * are generous; a program that has just dropped many megabytes knows better.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type Collect = (options?: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void;

const RELEASE_AFTER_MS = 250;

let exposed: Collect | undefined;

export function collectGarbage(): void {
  collector()();
}

/**
 * Gives back to the system what the start has left behind: loading modules fills a young
 * generation of 16 MiB, which V8 keeps however idle the program is. Takes some 50 ms once, a
 * moment after the start, before most people have sent a request.
 */
export function releaseMemoryOfStart(): void {
  setTimeout(releaseMemory, RELEASE_AFTER_MS).unref();
}

export function releaseMemory(): void {
  collector()({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}

function collector(): Collect {
  if (!exposed) {
    setFlagsFromString('--expose-gc');
    exposed = runInNewContext('gc') as Collect;
  }
  return exposed;
}
