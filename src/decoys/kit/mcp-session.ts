/**
 * Session ids of the MCP decoy: a honeytoken and a nonce with a checksum. Every `initialize` gets another
 * id, nothing is stored, and invented ids are refused.
 */
import { randomBytes } from 'node:crypto';
import { encodeBase32 } from '../tokens/base32.ts';
import type { Kit } from './decoy.ts';
import type { Probe } from './probe.ts';

const FORM = /^([a-z2-7]{32})-([a-z2-7]{8})([a-z2-7]{8})$/;

export function newSession({ draw, tokens }: Kit, { client, day }: Probe): string {
  const sealed = tokens.seal('session', client.address, day);
  const nonce = encodeBase32(randomBytes(5));
  return `${sealed}-${nonce}${checkOf(draw, sealed, nonce)}`;
}

/** Whether a decoy with this key issued the id, to any client. */
export function isSession({ draw }: Kit, id: string): boolean {
  const [, sealed, nonce, check] = FORM.exec(id) ?? [];
  return sealed !== undefined && checkOf(draw, sealed, nonce!) === check;
}

function checkOf(draw: Kit['draw'], sealed: string, nonce: string): string {
  return encodeBase32(draw.bytes(`mcp session ${sealed} ${nonce}`).subarray(0, 5));
}
