/**
 * The short form of a honeytoken: ten bytes, which are the sixteen characters after `AKIA` in an
 * AWS key id. Clients sign with the secret key and send only the id, so the id must carry
 * the token.
 *
 *   IPv4: address (32 bits) | day (16) | tag (32)
 *   IPv6: the /48 within 2000::/3 (45 bits) | day modulo 2048 (11) | tag (24), hence low confidence
 *
 * Other addresses get an id that cannot be read back.
 */
import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import { type Address, parseCidr } from '../../core/net/address.ts';

export interface AccessKeys {
  readonly tag: KeyObject;
  readonly text: KeyObject;
}

export interface OpenedAccessKey {
  readonly address: string;
  readonly day: number;
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

export function sealAccessKeyId(keys: AccessKeys, to: Address, day: number): Uint8Array {
  const form = FORMS.find(({ family }) => family === to.family)!;
  const text = form.family === 4 ? withDay(to, day) : ipv6Text(to, day);
  if (text === undefined) return hmac(keys.text, 0, withDay(to, day)).subarray(0, BYTES);
  const tag = hmac(keys.tag, form.family, text).subarray(0, form.tagBytes);
  return Buffer.concat([tag, xor(text, hmac(keys.text, form.family, tag))]);
}

export function openAccessKeyId(
  keys: AccessKeys,
  sealed: Uint8Array,
  today: number,
): OpenedAccessKey | undefined {
  if (sealed.length !== BYTES) return undefined;
  for (const form of FORMS) {
    const tag = sealed.subarray(0, form.tagBytes);
    const text = xor(sealed.subarray(form.tagBytes), hmac(keys.text, form.family, tag));
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
  const network = ((GLOBAL_UNICAST << 45n) | (packed >> 11n)).toString(16).padStart(12, '0');
  const address = parseCidr(`${network.match(/.{4}/g)!.join(':')}::/48`)!.text;
  return { address, day: latestDay(Number(packed & 2047n), today), confidence: 'low' };
}

/** The latest day that the short day can mean; tomorrow counts, for clocks that differ. */
function latestDay(short: number, today: number): number {
  const back = (((today + 1 - short) % DAY_CYCLE) + DAY_CYCLE) % DAY_CYCLE;
  return today + 1 - back;
}

function withDay(to: Address, day: number): Uint8Array {
  return Uint8Array.from([...to.bytes, day >> 8, day & 0xff]);
}

function ipv6Text(to: Address, day: number): Uint8Array | undefined {
  const network = BigInt(`0x${Buffer.from(to.bytes.slice(0, 6)).toString('hex')}`);
  if (network >> 45n !== GLOBAL_UNICAST) return undefined;
  const packed = ((network & ((1n << 45n) - 1n)) << 11n) | BigInt(day % DAY_CYCLE);
  return Buffer.from(packed.toString(16).padStart(14, '0'), 'hex');
}

function hmac(key: KeyObject, form: number, data: Uint8Array): Buffer {
  return createHmac('sha256', key).update(Uint8Array.of(form)).update(data).digest();
}

function xor(data: Uint8Array, mask: Uint8Array): Uint8Array {
  return data.map((byte, index) => byte ^ mask[index]!);
}
