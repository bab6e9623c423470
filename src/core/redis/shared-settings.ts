/** The two settings of a program that shares its state: the store, and the seal key. */
import { MIN_SEAL_KEY_LENGTH } from '../secrets/derive-key.ts';
import { Secret } from '../secrets/secret.ts';
import { parseStoreAddress, STORE_FORM, type StoreAddress } from './store-address.ts';

export interface SharedSettings {
  readonly store?: StoreAddress;
  /** Required with a store. */
  readonly sealKey?: Secret;
}

export type SharedSetting = 'store' | 'sealKey';

/** Reads both settings. Problems never quote them: both contain secrets. */
export function readSharedSettings(
  { store: url, sealKey: key }: Readonly<Record<SharedSetting, string | undefined>>,
  onProblem: (of: SharedSetting, message: string) => void,
): SharedSettings {
  const store = url === undefined ? undefined : parseStoreAddress(url);
  if (url !== undefined && !store) onProblem('store', `is not ${STORE_FORM}`);
  if (key !== undefined && [...key].length < MIN_SEAL_KEY_LENGTH) {
    onProblem('sealKey', `must have at least ${MIN_SEAL_KEY_LENGTH} characters`);
  }
  if (store && key === undefined) {
    const advice = 'all replicas have the same; make one with: openssl rand -base64 32';
    onProblem(
      'sealKey',
      `a store needs a seal key of at least ${MIN_SEAL_KEY_LENGTH} characters; ${advice}`,
    );
  }
  return {
    ...(store && { store }),
    ...(key !== undefined && { sealKey: new Secret('seal key', key) }),
  };
}
