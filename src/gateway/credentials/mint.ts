/** Makes a new token: the source decides how. */
import type { TokenSource } from '../config/minted-secret.ts';
import { requestInstallationToken } from './github-app.ts';
import { signJwt } from './jwt.ts';
import type { MintContext, Minted } from './minted.ts';
import { requestOAuth2Token } from './oauth2.ts';

export async function mint(source: TokenSource, context: MintContext): Promise<Minted> {
  switch (source.kind) {
    case 'oauth2':
      return requestOAuth2Token(source, context);
    case 'github_app':
      return requestInstallationToken(source, context);
    default: {
      const { jwt, lifetimeMs } = await signJwt(source, context.wallNowMs());
      return { token: context.expose('token', jwt), lifetimeMs, status: undefined };
    }
  }
}
