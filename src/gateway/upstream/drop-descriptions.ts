/**
 * Drops the headers of an answer that describe bytes which the model is not shown.
 *
 * The attack is an offline guess: a checksum of a body that held a short secret, beside the body
 * without it, tells for every guess whether it is right, millions of times a second and without
 * another request. An entity tag is such a checksum on most servers, also in the answer to a HEAD,
 * and a signature with a public key is one to whoever has that key. The length of the original tells
 * that of the secret.
 */

export interface Difference {
  /** Something was removed from the body, shown or behind the cut. */
  readonly isBodyChanged: boolean;
  /** Something was removed from a header, which a signature may cover. */
  readonly areHeadersChanged: boolean;
  /** The model does not see all of the body, so nobody knows what stands in the rest. */
  readonly isBodyUnseen: boolean;
}

export function dropDescriptions(
  headers: Record<string, string>,
  { isBodyChanged, areHeadersChanged, isBodyUnseen }: Difference,
): void {
  if (!isBodyChanged && !areHeadersChanged && !isBodyUnseen) return;
  for (const name of Object.keys(headers)) {
    const isDropped =
      ((isBodyChanged || isBodyUnseen) && isChecksum(name)) ||
      (isBodyChanged && name.endsWith('content-length')) ||
      name.includes('signature');
    if (isDropped) delete headers[name];
  }
}

/** In the headers of any vendor. */
function isChecksum(name: string): boolean {
  return name.split('-').some((word) => CHECKSUM.test(word));
}

/**
 * `Content-MD5`, `Repr-Digest`, `x-amz-checksum-crc64nvme`, `x-goog-hash`, `x-amz-meta-md5chksum`,
 * `x-ms-blob-content-md5`, `x-bz-content-sha1`, `OC-ETag`, `x-cos-hash-crc64ecma`.
 */
const CHECKSUM = /etag|digest|checksum|chksum|hash|md5|sha\d|^sha$|crc|adler/;
