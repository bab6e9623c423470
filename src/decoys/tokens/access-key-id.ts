/**
 * The short form of a honeytoken: ten bytes, which are the sixteen characters after `AKIA` in an
 * AWS key id. Clients sign with the secret key and send only the id, so the id must carry
 * the token. AWS writes the account into the first half of an id, and so anybody can read it there:
 * all ids of a deployment are of one account, which leaves 39 bits.
 *
 *   1 (1 bit) | account (40) | permuted by the key: 0 | IPv4 address (32) | zeros (6)
 *                                                   1 | the /36 within 2000::/3 (33) | zeros (5)
 *
 * A made-up id has another account. Whoever has received one can make up others, of which one in 64
 * names an address that nobody can choose: hence low confidence. Other addresses get an id that
 * cannot be read back. Ids of 0.1.0 have no account and are still read:
 *
 *   IPv4: tag (32) | encrypted: address (32) | day (16)
 *   IPv6: tag (24) | encrypted: the /48 within 2000::/3 (45) | day modulo 2048 (11)
 *
 * Of these, only allocated IPv6 networks count, one in fifty: with 24 bits alone, of a million ids of
 * real accounts one in sixteen runs would report one.
 */
import { timingSafeEqual } from 'node:crypto';
import { type Address, parseCidr } from '../../core/net/address.ts';
import type { Hmac } from './hmac.ts';

export interface AccessKeys {
  readonly tag: Hmac;
  readonly text: Hmac;
  /** Twelve digits. */
  readonly account: string;
}

interface OpenedAccessKey {
  readonly address: string;
  /** Of ids of 0.1.0. */
  readonly day: number | undefined;
  readonly confidence: 'high' | 'low';
}

const BYTES = 10;
const FORMS = [
  { family: 4, tagBytes: 4 },
  { family: 6, tagBytes: 3 },
] as const;
type Form = (typeof FORMS)[number];

const DAY_CYCLE = 2048;
const GLOBAL_UNICAST = 0b001n;
/** The first twelve bits of the networks that IANA has allocated to the registries. */
const ALLOCATED = new Set(
  [0x200, 0x240, 0x241, 0x260, 0x261, 0x262, 0x263, 0x280, 0x2a0, 0x2a1, 0x2c0].map(BigInt),
);
const PAYLOAD_BITS = 39n;
const IS_IPV6 = 1n << 38n;
const ROUNDS = [0, 1, 2, 3, 4, 5];

export function sealAccessKeyId(keys: AccessKeys, to: Address): Uint8Array {
  const payload = permuted(keys.text, payloadOf(keys, to), ROUNDS);
  const whole = (1n << 79n) | (BigInt(keys.account) << PAYLOAD_BITS) | payload;
  return Buffer.from(whole.toString(16).padStart(2 * BYTES, '0'), 'hex');
}

function payloadOf(keys: AccessKeys, to: Address): bigint {
  const number = BigInt(`0x${Buffer.from(to.bytes).toString('hex')}`);
  if (to.family === 4) return number << 6n;
  if (number >> 125n === GLOBAL_UNICAST) {
    return IS_IPV6 | (((number >> 92n) & ((1n << 33n) - 1n)) << 5n);
  }
  // Its last bits say that it names nobody.
  const [first = 0, ...rest] = hmac(keys.tag, 0, Buffer.from(to.text)).subarray(0, 5);
  return (BigInt(`0x${Buffer.from([first & 63, ...rest]).toString('hex')}`) & ~31n) | IS_IPV6 | 31n;
}

function openWithAccount(keys: AccessKeys, payload: bigint): OpenedAccessKey | undefined {
  const plain = permuted(keys.text, payload, [...ROUNDS].reverse());
  if ((plain & IS_IPV6) === 0n) {
    if ((plain & 63n) !== 0n) return undefined;
    const bytes = Buffer.from((plain >> 6n).toString(16).padStart(8, '0'), 'hex');
    return { address: bytes.join('.'), day: undefined, confidence: 'low' };
  }
  if ((plain & 31n) !== 0n) return undefined;
  const network = (GLOBAL_UNICAST << 45n) | (((plain & ~IS_IPV6) >> 5n) << 12n);
  return { address: networkText(bytesOf(network), 36), day: undefined, confidence: 'low' };
}

/** A Feistel network over 19 and 20 bits; the rounds in reverse undo it. */
function permuted(key: Hmac, value: bigint, rounds: readonly number[]): bigint {
  let [left, right] = [Number(value >> 20n), Number(value & 0xfffffn)];
  for (const round of rounds) {
    const half = round % 2 === 0 ? right : left;
    const mask = hmac(key, 16 + round, Uint8Array.of(half >> 16, half >> 8, half)).readUInt32BE(0);
    if (round % 2 === 0) left ^= mask & 0x7ffff;
    else right ^= mask & 0xfffff;
  }
  return (BigInt(left) << 20n) | BigInt(right);
}

export function openAccessKeyId(
  keys: AccessKeys,
  sealed: Uint8Array,
  today: number,
): OpenedAccessKey | undefined {
  if (sealed.length !== BYTES) return undefined;
  const whole = BigInt(`0x${Buffer.from(sealed).toString('hex')}`);
  if (whole >> PAYLOAD_BITS === ((1n << 40n) | BigInt(keys.account))) {
    return openWithAccount(keys, whole & ((1n << PAYLOAD_BITS) - 1n));
  }
  for (const form of FORMS) {
    const tag = sealed.subarray(0, form.tagBytes);
    const text = xor(sealed.subarray(form.tagBytes), hmac(keys.text, form.family, tag));
    if (form.family === 6 && !ALLOCATED.has(networkOf(text) >> 36n)) continue;
    const expected = hmac(keys.tag, form.family, text).subarray(0, form.tagBytes);
    if (timingSafeEqual(tag, expected)) return read(form, Buffer.from(text), today);
  }
  return undefined;
}

function read({ family }: Form, text: Buffer, today: number): OpenedAccessKey {
  if (family === 4) {
    const address = text.subarray(0, 4).join('.');
    return { address, day: text.readUInt16BE(4), confidence: 'high' };
  }
  const packed = BigInt(`0x${text.toString('hex')}`);
  const address = networkText(bytesOf(networkOf(text)), 48);
  return { address, day: latestDay(Number(packed & 2047n), today), confidence: 'low' };
}

/** The /48, in 48 bits. */
function networkOf(text: Uint8Array): bigint {
  const packed = BigInt(`0x${Buffer.from(text).toString('hex')}`);
  return (GLOBAL_UNICAST << 45n) | (packed >> 11n);
}

/** The latest day that the short day can mean; tomorrow counts, for clocks that differ. */
function latestDay(short: number, today: number): number {
  const back = (((today + 1 - short) % DAY_CYCLE) + DAY_CYCLE) % DAY_CYCLE;
  return today + 1 - back;
}

function hmac(key: Hmac, form: number, data: Uint8Array): Buffer {
  return key.digest(Uint8Array.of(form), data);
}

/** Six bytes. */
function bytesOf(network: bigint): Buffer {
  return Buffer.from(network.toString(16).padStart(12, '0'), 'hex');
}

/** An IPv6 network whose first bytes are given. */
export function networkText(bytes: Buffer, bits: number): string {
  const groups = bytes.toString('hex').match(/.{4}/g)!;
  return parseCidr(`${groups.join(':')}::/${bits}`)!.text;
}

export function xor(data: Uint8Array, mask: Uint8Array): Uint8Array {
  return data.map((byte, index) => byte ^ mask[index]!);
}
