import { builtIns } from '../definitions/built-in.ts';

/** The fields that hold honeytokens. Issued tokens contain the ids: never change or reuse one. */
export const PLACES = {
  configToken: {
    id: 1,
    tag: 'ai-assistant-config',
    field: 'env.REPO_HOST_PERSONAL_ACCESS_TOKEN',
  },
  configDatabase: { id: 2, tag: 'ai-assistant-config', field: 'database password' },
  accessToken: { id: 3, tag: 'ai-assistant-credentials', field: 'accessToken' },
  refreshToken: { id: 4, tag: 'ai-assistant-credentials', field: 'refreshToken' },
  clientSecret: { id: 5, tag: 'ai-assistant-credentials', field: 'client_secret' },
  gitToken: { id: 7, tag: 'git-repository', field: 'token' },
  gitPassword: { id: 8, tag: 'git-repository', field: 'database password' },
  sshPassphrase: { id: 9, tag: 'ssh-private-key', field: 'comment' },
  registryToken: { id: 10, tag: 'image-registry', field: 'environment' },
  graphqlToken: { id: 11, tag: 'graphql', field: 'apiKey' },
  session: { id: 6, tag: 'mcp-server-probe', field: 'Mcp-Session-Id' },
} as const;

export type PlaceName = keyof typeof PLACES;

export interface Place {
  readonly id: number;
  readonly tag: string;
  readonly field: string;
}

/** The one place of the short form, which has no room for an id. */
export const ACCESS_KEY_PLACE: Place = {
  id: 0,
  tag: 'aws-credentials',
  field: 'aws_access_key_id',
};

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
