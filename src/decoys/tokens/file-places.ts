/** The places of decoy files, and the place of any id. */
import { builtIns } from '../definitions/built-in.ts';
import { ACCESS_KEY_PLACE, PLACES, type Place } from './places.ts';

const byId = new Map<number, Place>(Object.values(PLACES).map((place) => [place.id, place]));

export function placeOf(id: number): Place | undefined {
  if (id === ACCESS_KEY_PLACE.id) return ACCESS_KEY_PLACE;
  const known = byId.get(id);
  if (known) return known;
  const file = [OWN, ...builtIns()].find((one) => one.id === id - (id % 2));
  return file && { id, tag: file.tag, field: FIELDS[id % 2]! };
}

/** Of the operator's own decoys: a token says no more than that it is from one of these. */
const OWN = { id: 252, tag: 'own-decoy' };
const FIELDS = ['token', 'password'] as const;

/** The places of a decoy file, which has two ids; without a file those of the operator's own. */
export function filePlaces(file?: { readonly id: number; readonly tag: string }): {
  readonly token: Place;
  readonly password: Place;
} {
  const { id, tag } = file ?? OWN;
  return { token: { id, tag, field: 'token' }, password: { id: id + 1, tag, field: 'password' } };
}
