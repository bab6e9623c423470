/**
 * Canary notes: notes that no honest task needs, in a vault. When what is in one is delivered to a
 * model, the tripwire is hit.
 */
import type { Caller } from '../../core/http/caller.ts';
import { describeError, type Log } from '../../core/log/log.ts';
import type { Tripwires } from '../../core/recent-calls/tripwires.ts';
import { isBelow, spellingKey } from '../files/vault-path.ts';
import type { OpenVaults } from '../vaults/open-vaults.ts';
import { type CanaryList, NO_CANARIES, readCanaries } from './canary-list.ts';

/** How often the list is checked for a change. */
const CHECK_MS = 1_000;

interface Known {
  readonly list: CanaryList;
  readonly keys: readonly string[];
  readonly checkedAtMs: number;
}

export class Canaries {
  readonly #vaults: OpenVaults;
  readonly #tripwires: Pick<Tripwires, 'hit'>;
  readonly #log: Log;
  readonly #now: () => number;
  readonly #known = new Map<string, Known>();

  constructor(
    vaults: OpenVaults,
    tripwires: Pick<Tripwires, 'hit'>,
    log: Log,
    now: () => number = () => performance.now(),
  ) {
    this.#vaults = vaults;
    this.#tripwires = tripwires;
    this.#log = log;
    this.#now = now;
  }

  /** Call it before the answer is sent. An answer with several canaries is one hit. */
  async delivered(
    caller: Caller,
    vault: string,
    paths: ReadonlySet<string>,
    tool: string,
  ): Promise<void> {
    if (paths.size === 0) return;
    try {
      const keys = await this.#keysOf(vault);
      if (keys.length === 0) return;
      const canary = [...paths].find((path) => isCanary(path, keys));
      if (canary === undefined) return;
      const { signInId = '', clientId } = caller;
      const what = { site: 'notes', vault, path: canary, tool };
      await this.#tripwires.hit(caller, { signInId, clientId }, what);
    } catch (error) {
      this.#log.error('internal_error', { message: describeError(error) });
    }
  }

  async #keysOf(vault: string): Promise<readonly string[]> {
    const known = this.#known.get(vault);
    const nowMs = this.#now();
    if (known && nowMs - known.checkedAtMs < CHECK_MS) return known.keys;
    const { root } = this.#vaults.get(vault).vault;
    const list = await readCanaries(root, known?.list ?? NO_CANARIES);
    const keys = known?.list === list ? known.keys : list.paths.map(spellingKey);
    this.#known.set(vault, { list, keys, checkedAtMs: nowMs });
    return keys;
  }
}

/** Also a folder that contains a canary. */
function isCanary(path: string, keys: readonly string[]): boolean {
  const key = spellingKey(path);
  return keys.some((canary) => canary === key || isBelow(canary, key));
}
