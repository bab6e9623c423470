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
