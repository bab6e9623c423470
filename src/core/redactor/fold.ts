/** Maps a byte to the byte it is compared as: ASCII upper case to lower case. */
export const FOLD = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte,
);
