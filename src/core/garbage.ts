/**
 * Collects garbage now. V8 lets large strings and buffers pile up to limits of its own, which
 * are generous; a program that has just dropped many megabytes knows better.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

let collect: (() => void) | undefined;

export function collectGarbage(): void {
  if (!collect) {
    setFlagsFromString('--expose-gc');
    collect = runInNewContext('gc') as () => void;
  }
  collect();
}
