/**
 * What kind of file some bytes are, by the bytes themselves. A vault takes pictures and PDFs; a
 * page or a script under the name of a picture would be shown to a browser as what it is.
 */
export type FileType = keyof typeof EXTENSIONS;

/** The extensions a file of each kind may have. SVG is missing on purpose: it can hold scripts. */
const EXTENSIONS = {
  'image/png': ['png'],
  'image/jpeg': ['jpg', 'jpeg'],
  'image/gif': ['gif'],
  'image/webp': ['webp'],
  'image/avif': ['avif'],
  'image/bmp': ['bmp'],
  'image/tiff': ['tif', 'tiff'],
  'application/pdf': ['pdf'],
} as const;

/** Each sign stands at the start of the file; a dot stands for any byte. */
const SIGNS: readonly [sign: RegExp, type: FileType][] = [
  [/^\x89PNG\r\n\x1a\n/, 'image/png'],
  [/^\xff\xd8\xff/, 'image/jpeg'],
  [/^GIF8[79]a/, 'image/gif'],
  [/^RIFF.{4}WEBPVP8[ LX]/s, 'image/webp'],
  [/^.{4}ftypavi[fs]/s, 'image/avif'],
  [/^BM.{4}\0{4}/s, 'image/bmp'],
  [/^(?:II\*\0|MM\0\*)/, 'image/tiff'],
  [/^%PDF-[12]\./, 'application/pdf'],
];
const MAX_SIGN_LENGTH = 16;

export const ALLOWED_EXTENSIONS: readonly string[] = Object.values(EXTENSIONS).flat();

export function fileType(bytes: Buffer): FileType | undefined {
  const start = bytes.toString('latin1', 0, MAX_SIGN_LENGTH);
  return SIGNS.find(([sign]) => sign.test(start))?.[1];
}

export function extensionsOf(type: FileType): readonly string[] {
  return EXTENSIONS[type];
}
