/** Conversions between the bytes of a note, Latin-1 (one character per byte) and text. */
import { isUtf8 } from 'node:buffer';

/** Decodes UTF-8 bytes given as Latin-1. */
export function fromLatin1(latin1: string): string {
  return /[\x80-\xff]/.test(latin1) ? Buffer.from(latin1, 'latin1').toString('utf8') : latin1;
}

/** The UTF-8 bytes of a text as Latin-1. */
export function toLatin1(text: string): string {
  return /[^\x00-\x7f]/.test(text) ? Buffer.from(text, 'utf8').toString('latin1') : text;
}

/** Folds a name so that case and Unicode composition do not matter. */
export function foldName(text: string): string {
  return text.normalize('NFC').toLowerCase().normalize('NFC');
}

/**
 * Decodes a note without loss: each invalid byte becomes one of U+DC80 to U+DCFF, which valid UTF-8
 * never decodes to.
 */
export function decodeLossless(bytes: Buffer): string {
  return isUtf8(bytes) ? bytes.toString('utf8') : decodePieces(bytes);
}

export function encodeLossless(text: string): Buffer {
  if (text.isWellFormed()) return Buffer.from(text, 'utf8');
  const pieces: Buffer[] = [];
  for (const piece of text.split(/((?<![\ud800-\udbff])[\udc80-\udcff]+)/)) {
    const escaped = piece.charCodeAt(0) >= 0xdc80 && piece.charCodeAt(0) <= 0xdcff;
    pieces.push(
      escaped
        ? Buffer.from(Array.from(piece, (character) => character.charCodeAt(0) - 0xdc00))
        : Buffer.from(piece, 'utf8'),
    );
  }
  return Buffer.concat(pieces);
}

function decodePieces(bytes: Buffer): string {
  const pieces: string[] = [];
  let from = 0;
  for (let at = 0; at < bytes.length; ) {
    const length = sequenceLength(bytes, at);
    if (length === 0) {
      pieces.push(bytes.toString('utf8', from, at), String.fromCharCode(0xdc00 + bytes[at]!));
      from = at + 1;
    }
    at += length || 1;
  }
  pieces.push(bytes.toString('utf8', from));
  return pieces.join('');
}

/** The length of the well-formed sequence at `at`, or 0 (Unicode, table 3-7). */
function sequenceLength(bytes: Buffer, at: number): number {
  const first = bytes[at]!;
  if (first < 0x80) return 1;
  const length = first >= 0xc2 && first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  if (first < 0xc2 || length === 0 || at + length > bytes.length) return 0;
  const second = bytes[at + 1]!;
  const low = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
  const high = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
  if (second < low || second > high) return 0;
  for (let index = 2; index < length; index++) {
    const next = bytes[at + index]!;
    if (next < 0x80 || next > 0xbf) return 0;
  }
  return length;
}
