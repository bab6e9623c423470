/**
 * Step 12. Cuts the clean body at the cap, never inside a UTF-8 character or a
 * redaction marker. A body that is not UTF-8 text becomes base64.
 */
import { isUtf8 } from 'node:buffer';
import { BodyText, characterStart } from '../upstream/body-text.ts';

interface Truncated {
  readonly body: BodyText;
  /** Present when the body is not UTF-8 text. */
  readonly body_encoding?: 'base64';
  readonly truncated: boolean;
}

export function truncate(
  { body, marker }: { body: Buffer; marker: string },
  capBytes: number,
): Truncated {
  const truncated = body.length > capBytes;
  const kept = truncated ? body.subarray(0, cutAt(body, capBytes, Buffer.from(marker))) : body;
  return isUtf8(kept)
    ? { body: new BodyText(kept, 'utf8'), truncated }
    : { body: new BodyText(kept, 'base64'), body_encoding: 'base64', truncated };
}

function cutAt(body: Buffer, capBytes: number, marker: Buffer): number {
  return characterStart(body, markerStart(body, capBytes, marker) ?? capBytes);
}

/** The start of the marker that the cut would split, if any. */
function markerStart(body: Buffer, cut: number, marker: Buffer): number | undefined {
  const from = Math.max(0, cut - marker.length + 1);
  const start = body.subarray(from, cut + marker.length - 1).indexOf(marker);
  return start === -1 ? undefined : from + start;
}
