/**
 * Drops response headers that describe bytes the model is not shown.
 *
 * Prevents offline guessing of a removed secret: with the checksum of the original body and the
 * redacted body, a short secret can be found by brute force without another request. On most servers
 * an entity tag is such a checksum, also in the response to HEAD; so is a signature whose public key
 * is known. The original length reveals the length of the secret.
 */
import { memoize } from '../../core/memoize.ts';

export interface Difference {
  /** Something was removed from the body, before or after the cut. */
  readonly isBodyChanged: boolean;
  /** Something was removed from a header, which a signature may cover. */
  readonly areHeadersChanged: boolean;
  /** The model does not see all of the body; the rest may hold a secret. */
  readonly isBodyUnseen: boolean;
}

export function dropDescriptions(
  headers: Record<string, string>,
  { isBodyChanged, areHeadersChanged, isBodyUnseen }: Difference,
): void {
  if (!isBodyChanged && !areHeadersChanged && !isBodyUnseen) return;
  for (const name in headers) {
    const isDropped =
      ((isBodyChanged || isBodyUnseen) && isChecksum(name)) ||
      (isBodyChanged && name.endsWith('content-length')) ||
      name.includes('signature');
    if (isDropped) delete headers[name];
  }
}

const isChecksum = memoize((name) => name.split('-').some((word) => CHECKSUM.test(word)));

/**
 * `Content-MD5`, `Repr-Digest`, `x-amz-checksum-crc64nvme`, `x-goog-hash`, `x-amz-meta-md5chksum`,
 * `x-ms-blob-content-md5`, `x-bz-content-sha1`, `OC-ETag`, `x-cos-hash-crc64ecma`.
 */
const CHECKSUM = /etag|digest|checksum|chksum|hash|md5|sha\d|^sha$|crc|adler/;
