/**
 * Detects file types by content. Prevents content sniffing attacks: a page or script stored under
 * the name of a picture would run in a browser.
 */
export type FileType = keyof typeof EXTENSIONS;

/** The extensions of each type. SVG is excluded because it can contain scripts. */
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

/** File signatures; a dot matches any byte. */
const SIGNATURES: readonly [signature: RegExp, type: FileType][] = [
  [/^\x89PNG\r\n\x1a\n/, 'image/png'],
  [/^\xff\xd8\xff/, 'image/jpeg'],
  [/^GIF8[79]a/, 'image/gif'],
  [/^RIFF.{4}WEBPVP8[ LX]/s, 'image/webp'],
  [/^.{4}ftypavi[fs]/s, 'image/avif'],
  [/^BM.{4}\0{4}/s, 'image/bmp'],
  [/^(?:II\*\0|MM\0\*)/, 'image/tiff'],
  [/^%PDF-[12]\./, 'application/pdf'],
];
const MAX_SIGNATURE_BYTES = 16;

export const ALLOWED_EXTENSIONS: readonly string[] = Object.values(EXTENSIONS).flat();

export function fileType(bytes: Buffer): FileType | undefined {
  const start = bytes.toString('latin1', 0, MAX_SIGNATURE_BYTES);
  return SIGNATURES.find(([signature]) => signature.test(start))?.[1];
}

export function extensionsOf(type: FileType): readonly string[] {
  return EXTENSIONS[type];
}
