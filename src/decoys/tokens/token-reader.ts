/**
 * Reads honeytokens with any of the keys. The servers do that in a separate thread, which gets the
 * derived keys and never that of the operator.
 *
 * The fields of a text that only looks like a token are random after decryption. They are checked before
 * the tag, since most often one of them has a value that no token has.
 */
import { timingSafeEqual } from 'node:crypto';
import { type AccessKeys, networkText, openAccessKeyId, xor } from './access-key-id.ts';
import { decodeBase32 } from './base32.ts';
import { dayOf, formatDay } from './day.ts';
import { Hmac } from './hmac.ts';

export const SITES = ['decoys', 'gateway', 'notes'] as const;
export type Site = (typeof SITES)[number];

export const PREFIX = 'hp_live_';
export const ACCESS_KEY_PREFIX = 'AKIA';
export const TEXT_BYTES = 12;
export const TAG_BYTES = 8;

/** The content of a token. */
export interface TokenContent {
  /** Of the decoy and the field; 0 for the short form, which has no room for it. */
  readonly placeId: number;
  /** `2026-11-15`, in UTC. Unknown for the short form. */
  readonly day: string | undefined;
  /** Unknown for the short form. */
  readonly site: Site | undefined;
  /** An IPv4 address, or an IPv6 network: a /64, or a /48 in the short form. */
  readonly address: string;
  readonly confidence: 'high' | 'low';
}

/** Derived keys, which another thread may have. */
export interface KeyBytes {
  readonly tag: Uint8Array;
  readonly text: Uint8Array;
  readonly accessTag: Uint8Array;
  readonly accessText: Uint8Array;
  /** Of AWS; twelve digits. */
  readonly account: string;
}

export function hmacsOf({ tag, text, accessTag, accessText, account }: KeyBytes) {
  const access: AccessKeys = { tag: new Hmac(accessTag), text: new Hmac(accessText), account };
  return { tag: new Hmac(tag), text: new Hmac(text), access };
}

export class TokenReader {
  readonly #keys: readonly ReturnType<typeof hmacsOf>[];

  constructor(keys: readonly KeyBytes[]) {
    this.#keys = keys.map(hmacsOf);
  }

  /** Reads any form in its usual letter case. `nowMs` resolves the shortened day of key ids. */
  open(token: string, nowMs: number): TokenContent | undefined {
    if (token.startsWith(ACCESS_KEY_PREFIX)) return this.#openShort(token.slice(4), nowMs);
    const sealed = decodeBase32(token.startsWith(PREFIX) ? token.slice(PREFIX.length) : token);
    if (sealed?.length !== TAG_BYTES + TEXT_BYTES) return undefined;
    const tag = sealed.subarray(0, TAG_BYTES);
    for (const keys of this.#keys) {
      const text = xor(sealed.subarray(TAG_BYTES), keys.text.digest(tag));
      const opened = readText(text);
      if (opened === undefined) continue;
      if (timingSafeEqual(keys.tag.digest(text).subarray(0, TAG_BYTES), tag)) return opened();
    }
    return undefined;
  }

  #openShort(characters: string, nowMs: number): TokenContent | undefined {
    if (characters !== characters.toUpperCase()) return undefined;
    const sealed = decodeBase32(characters.toLowerCase());
    if (sealed === undefined) return undefined;
    for (const { access } of this.#keys) {
      const found = openAccessKeyId(access, sealed, dayOf(nowMs));
      if (found === undefined) continue;
      const { address, day, confidence } = found;
      const dayText = day === undefined ? undefined : formatDay(day);
      return { placeId: 0, day: dayText, site: undefined, address, confidence };
    }
    return undefined;
  }
}

/** Undefined where a field has a value that no token has. */
function readText(text: Uint8Array): (() => TokenContent) | undefined {
  const placeId = text[0]!;
  const site = SITES[text[1]! >> 4];
  const family = text[1]! & 15;
  if (!site || (family !== 4 && family !== 6)) return undefined;
  return () => {
    const day = formatDay((text[2]! << 8) | text[3]!);
    const address =
      family === 4 ? text.subarray(4, 8).join('.') : networkText(Buffer.from(text.subarray(4)), 64);
    return { placeId, day, site, address, confidence: 'high' };
  };
}
