/** Opens the store that replicas share, if one is configured. Loads its client only then. */
import type { Log } from '../log/log.ts';
import type { SharedStore } from '../store/shared-store.ts';
import type { StoreAddress } from './store-address.ts';

export async function openShared(
  address: StoreAddress | undefined,
  program: 'gateway' | 'notes',
  log: Log,
): Promise<SharedStore | undefined> {
  if (!address) return undefined;
  const { openStore } = await import('./open-store.ts');
  return openStore(address, { log, program });
}
