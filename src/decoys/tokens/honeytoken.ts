/**
 * Honeytokens: fake secrets that identify the client that received them.
 *
 * Detects stolen credentials: a scanner copies a "secret" from a decoy, and someone uses it weeks
 * later from elsewhere. The token encrypts and authenticates the address it was given to, the day and
 * the decoy, so nothing is stored. Without the key nobody can read, forge or modify a token.
 *
 *   text   = decoy id (1) | site and family (1) | day (2) | IPv4, or IPv6 /64 (8)
 *   tag    = first 8 bytes of HMAC-SHA256(K1, text)
 *   sealed = tag | text XOR HMAC-SHA256(K2, tag), in lower-case base32
 */
import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import { type Address, parseCidr } from '../../core/net/address.ts';
import type { Secret } from '../../core/secrets/secret.ts';
import { awsAccountOf } from '../persona/aws-account.ts';
import { Draw, deriveKey } from '../persona/draw.ts';
import { type AccessKeys, openAccessKeyId, sealAccessKeyId } from './access-key-id.ts';
import { decodeBase32, encodeBase32 } from './base32.ts';
import { dayOf, formatDay } from './day.ts';
import { ACCESS_KEY_PLACE, PLACES, type Place, type PlaceName, placeOf } from './places.ts';

export const SITES = ['decoys', 'gateway', 'notes'] as const;
export type Site = (typeof SITES)[number];

export const PREFIX = 'hp_live_';
export const ACCESS_KEY_PREFIX = 'AKIA';
const TEXT_BYTES = 12;
const TAG_BYTES = 8;
const MAX_RECENT = 1_024;

/** The content of a token. */
export interface Opened {
  readonly place: Place;
  /** `2026-11-15`, in UTC. Unknown for the short form. */
  readonly day: string | undefined;
  /** Unknown for the short form. */
  readonly site: Site | undefined;
  /** An IPv4 address, or an IPv6 network: a /64, or a /48 in the short form. */
  readonly address: string;
  readonly confidence: 'high' | 'low';
}

interface Keys {
  readonly tag: KeyObject;
  readonly text: KeyObject;
  readonly access: AccessKeys;
}

export interface HoneytokenOptions {
  readonly key: Secret;
  /** Former keys: they read old tokens and issue none. */
  readonly oldKeys?: readonly Secret[];
  readonly site: Site;
}

export class Honeytokens {
  readonly #keys: readonly [Keys, ...Keys[]];
  readonly #site: number;
  /** A cache: one scanner requests many files in a row. */
  readonly #recent = new Map<string, string>();

  constructor({ key, oldKeys = [], site }: HoneytokenOptions) {
    this.#keys = [keysOf(key), ...oldKeys.map(keysOf)];
    this.#site = SITES.indexOf(site);
  }

  /** The thirty-two characters without a prefix, where a prefix would look odd. */
  seal(place: PlaceName | Place, to: Address, day: number): string {
    const { id } = typeof place === 'string' ? PLACES[place] : place;
    const key = `${id} ${day} ${to.text}`;
    const known = this.#recent.get(key);
    if (known !== undefined) return known;
    const sealed = this.#seal(id, to, day);
    if (this.#recent.size >= MAX_RECENT) this.#recent.clear();
    this.#recent.set(key, sealed);
    return sealed;
  }

  #seal(id: number, to: Address, day: number): string {
    const text = new Uint8Array(TEXT_BYTES);
    text[0] = id;
    text[1] = (this.#site << 4) | to.family;
    text[2] = day >> 8;
    text[3] = day;
    text.set(to.bytes.slice(0, 8), 4);
    const [keys] = this.#keys;
    const tag = hmac(keys.tag, text).subarray(0, TAG_BYTES);
    const sealed = new Uint8Array(TAG_BYTES + TEXT_BYTES);
    sealed.set(tag);
    sealed.set(xor(text, hmac(keys.text, tag)), TAG_BYTES);
    return encodeBase32(sealed);
  }

  /** The number of cached tokens, at most `MAX_RECENT`. */
  get cached(): number {
    return this.#recent.size;
  }

  /** The usual form: `hp_live_` and thirty-two characters. */
  issue(place: PlaceName | Place, to: Address, day: number): string {
    return PREFIX + this.seal(place, to, day);
  }

  /** The short form, which fits an AWS key id. */
  issueAccessKeyId(to: Address): string {
    const [{ access }] = this.#keys;
    const sealed = sealAccessKeyId(access, to);
    return ACCESS_KEY_PREFIX + encodeBase32(sealed).toUpperCase();
  }

  /** Reads any form, with any of the keys. `nowMs` resolves the shortened day of key ids. */
  open(token: string, nowMs: number): Opened | undefined {
    if (token.startsWith(ACCESS_KEY_PREFIX)) return this.#openShort(token.slice(4), nowMs);
    const sealed = decodeBase32(token.startsWith(PREFIX) ? token.slice(PREFIX.length) : token);
    if (sealed?.length !== TAG_BYTES + TEXT_BYTES) return undefined;
    for (const keys of this.#keys) {
      const tag = sealed.subarray(0, TAG_BYTES);
      const text = xor(sealed.subarray(TAG_BYTES), hmac(keys.text, tag));
      if (timingSafeEqual(hmac(keys.tag, text).subarray(0, TAG_BYTES), tag)) return readText(text);
    }
    return undefined;
  }

  #openShort(characters: string, nowMs: number): Opened | undefined {
    if (characters !== characters.toUpperCase()) return undefined;
    const sealed = decodeBase32(characters.toLowerCase());
    if (sealed === undefined) return undefined;
    for (const { access } of this.#keys) {
      const found = openAccessKeyId(access, sealed, dayOf(nowMs));
      if (found === undefined) continue;
      const { address, day, confidence } = found;
      const place = ACCESS_KEY_PLACE;
      const dayText = day === undefined ? undefined : formatDay(day);
      return { place, day: dayText, site: undefined, address, confidence };
    }
    return undefined;
  }
}

function readText(text: Uint8Array): Opened | undefined {
  const place = placeOf(text[0]!);
  const site = SITES[text[1]! >> 4];
  const family = text[1]! & 15;
  if (!place || !site || (family !== 4 && family !== 6)) return undefined;
  const day = formatDay((text[2]! << 8) | text[3]!);
  const bytes = [...text.subarray(4)];
  const address =
    family === 4
      ? bytes.slice(0, 4).join('.')
      : parseCidr(`${hextets(bytes).join(':')}::/64`)!.text;
  return { place, day, site, address, confidence: 'high' };
}

function hextets(bytes: readonly number[]): string[] {
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += 2) {
    parts.push(((bytes[at]! << 8) | (bytes[at + 1] ?? 0)).toString(16));
  }
  return parts;
}

function keysOf(key: Secret): Keys {
  return {
    tag: deriveKey(key, 'honeytoken tag'),
    text: deriveKey(key, 'honeytoken text'),
    access: {
      tag: deriveKey(key, 'access key id tag'),
      text: deriveKey(key, 'access key id text'),
      account: awsAccountOf(new Draw(key)),
    },
  };
}

function hmac(key: KeyObject, data: Uint8Array): Buffer {
  return createHmac('sha256', key).update(data).digest();
}

function xor(data: Uint8Array, mask: Uint8Array): Uint8Array {
  return data.map((byte, index) => byte ^ mask[index]!);
}
