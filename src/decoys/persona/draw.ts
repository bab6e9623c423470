/**
 * Pseudorandom values derived from the key: the same for the same label, and different in any two
 * deployments. Nothing is stored. Without the key, a value reveals nothing about its label.
 */
import { createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import type { Secret } from '../../core/secrets/secret.ts';

const SALT = 'gatehouse decoys';

/** A key for one purpose, derived from that of the operator. */
export function deriveKey(key: Secret, purpose: string): KeyObject {
  return createSecretKey(new Uint8Array(hkdfSync('sha256', key.reveal(), SALT, purpose, 32)));
}

export class Draw {
  readonly #key: KeyObject;

  constructor(key: Secret) {
    this.#key = deriveKey(key, 'fabricated values');
  }

  /** Sixty-four bytes. */
  bytes(label: string): Buffer {
    return createHmac('sha512', this.#key).update(label).digest();
  }

  /** A whole number from 0 up to, but not including, `end`. */
  number(label: string, end: number): number {
    return this.bytes(label).readUIntBE(0, 6) % end;
  }

  pick<T>(label: string, from: readonly T[]): T {
    return from[this.number(label, from.length)]!;
  }

  /** `count` different items in a drawn order. */
  some<T>(label: string, from: readonly T[], count: number): T[] {
    const left = [...from];
    const bytes = this.bytes(label);
    const chosen: T[] = [];
    for (let index = 0; index < count && left.length > 0; index++) {
      chosen.push(...left.splice(bytes[index]! % left.length, 1));
    }
    return chosen;
  }

  /** All items in a drawn order. */
  shuffled<T>(label: string, from: readonly T[]): T[] {
    const left = [...from];
    const bytes = Buffer.concat([this.bytes(label), this.bytes(`${label} more`)]);
    return from.map(
      (_, at) => left.splice(bytes.readUInt16BE((2 * at) % 126) % left.length, 1)[0]!,
    );
  }

  /** At most sixty-four characters. */
  text(label: string, alphabet: string, length: number): string {
    const bytes = this.bytes(label);
    let text = '';
    for (let index = 0; index < length; index++) text += alphabet[bytes[index]! % alphabet.length];
    return text;
  }

  /** At most sixty-four digits. */
  hex(label: string, length: number): string {
    return this.bytes(label).toString('hex').slice(0, length);
  }
}
