/** Maps a byte to the byte it is compared as: ASCII upper case to lower case. */
export const FOLD = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte,
);

/** The same for bytes as a string of one character each: letters beyond ASCII stay as they are. */
export function foldCase(bytes: string): string {
  if (!/[\u0080-\u00ff]/.test(bytes)) return bytes.toLowerCase();
  return bytes.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
