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
import type { Address } from '../../core/net/address.ts';
import type { Secret } from '../../core/secrets/secret.ts';
import { awsAccountOf } from '../persona/aws-account.ts';
import { Draw, deriveKey } from '../persona/draw.ts';
import { sealAccessKeyId, xor } from './access-key-id.ts';
import { encodeBase32 } from './base32.ts';
import { placeOf } from './file-places.ts';
import { PLACES, type Place, type PlaceName } from './places.ts';
import {
  ACCESS_KEY_PREFIX,
  hmacsOf,
  type KeyBytes,
  PREFIX,
  SITES,
  type Site,
  TAG_BYTES,
  TEXT_BYTES,
  type TokenContent,
  TokenReader,
} from './token-reader.ts';

export { ACCESS_KEY_PREFIX, PREFIX, SITES, type Site } from './token-reader.ts';

/** The content of a token, with the decoy and the field that it was in. */
interface Opened extends Omit<TokenContent, 'placeId'> {
  readonly place: Place;
}

const MAX_RECENT = 1_024;

export interface HoneytokenOptions {
  readonly key: Secret;
  /** Former keys: they read old tokens and issue none. */
  readonly oldKeys?: readonly Secret[];
  readonly site: Site;
}

const SESSION_NONCE = /(?<=^[a-z2-7]{32})-[a-z2-7]{16}$/;

export class Honeytokens {
  /** Derived from all keys, the current one first. */
  readonly keys: readonly KeyBytes[];
  readonly #hmacs: ReturnType<typeof hmacsOf>;
  readonly #reader: TokenReader;
  readonly #site: number;
  /** A cache: one scanner requests many files in a row. */
  readonly #recent = new Map<string, string>();

  constructor({ key, oldKeys = [], site }: HoneytokenOptions) {
    const current = keysOf(key);
    this.keys = [current, ...oldKeys.map(keysOf)];
    this.#hmacs = hmacsOf(current);
    this.#reader = new TokenReader(this.keys);
    this.#site = SITES.indexOf(site);
  }

  /** The thirty-two characters without the prefix. */
  seal(place: PlaceName | Place, to: Address, day: number): string {
    const { id } = typeof place === 'string' ? PLACES[place] : place;
    const key = `${id} ${day} ${to.text}`;
    const known = this.#recent.get(key);
    if (known !== undefined) return known;
    const sealed = this.#seal(id, to, day);
    this.#remember(key, sealed);
    return sealed;
  }

  #remember(key: string, text: string): void {
    if (this.#recent.size >= MAX_RECENT) this.#recent.clear();
    this.#recent.set(key, text);
  }

  #seal(id: number, to: Address, day: number): string {
    const text = new Uint8Array(TEXT_BYTES);
    text[0] = id;
    text[1] = (this.#site << 4) | to.family;
    text[2] = day >> 8;
    text[3] = day;
    text.set(to.bytes.slice(0, 8), 4);
    const keys = this.#hmacs;
    const tag = keys.tag.digest(text).subarray(0, TAG_BYTES);
    const sealed = new Uint8Array(TAG_BYTES + TEXT_BYTES);
    sealed.set(tag);
    sealed.set(xor(text, keys.text.digest(tag)), TAG_BYTES);
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
    const known = this.#recent.get(to.text);
    if (known !== undefined) return known;
    const sealed = sealAccessKeyId(this.#hmacs.access, to);
    const id = ACCESS_KEY_PREFIX + encodeBase32(sealed).toUpperCase();
    this.#remember(to.text, id);
    return id;
  }

  /** Reads any form, with any of the keys. `nowMs` resolves the shortened day of key ids. */
  open(token: string, nowMs: number): Opened | undefined {
    // The id of an MCP session has a nonce behind its token.
    return withPlace(this.#reader.open(token.replace(SESSION_NONCE, ''), nowMs));
  }
}

/** Undefined for the token of a decoy that this version does not know. */
export function withPlace(content: TokenContent | undefined): Opened | undefined {
  if (content === undefined) return undefined;
  const { placeId, ...rest } = content;
  const place = placeOf(placeId);
  return place && { ...rest, place };
}

function keysOf(key: Secret): KeyBytes {
  const bytes = (purpose: string) => new Uint8Array(deriveKey(key, purpose).export());
  return {
    tag: bytes('honeytoken tag'),
    text: bytes('honeytoken text'),
    accessTag: bytes('access key id tag'),
    accessText: bytes('access key id text'),
    account: awsAccountOf(new Draw(key)),
  };
}
