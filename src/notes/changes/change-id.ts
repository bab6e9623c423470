/**
 * A change id is the position of the change's record in the journal plus a random tag that the
 * record repeats, so a forged id finds nothing.
 */
import { randomBytes } from 'node:crypto';

const CHANGE_ID = /^([0-9]{1,9})-([0-9a-z]{1,8})-([0-9a-f]{8})$/;

export interface Position {
  readonly segment: number;
  readonly offset: number;
}

export function changeIdAt({ segment, offset }: Position): string {
  return `${segment}-${offset.toString(36)}-${randomBytes(4).toString('hex')}`;
}

export function positionOf(changeId: string): Position | undefined {
  const match = CHANGE_ID.exec(changeId);
  if (match === null) return undefined;
  return { segment: Number(match[1]), offset: Number.parseInt(match[2]!, 36) };
}

/** The order in which two changes were journaled. */
export function comparePositions(a: string, b: string): number {
  const [first, second] = [positionOf(a), positionOf(b)];
  if (first === undefined || second === undefined) return 0;
  return isBefore(first, second) ? -1 : 1;
}

export function isBefore(a: Position, b: Position): boolean {
  return a.segment < b.segment || (a.segment === b.segment && a.offset < b.offset);
}
