/** The git settings. Prevents credential leaks: a remote that may contain one is never shown. */
import type { EnvironmentReader } from '../core/config/environment.ts';
import { Secret } from '../core/secrets/secret.ts';
import { remoteProblem } from './git/git-push.ts';
import type { GitSettings } from './vaults/vault.ts';

/** The placeholder for the name of the vault in a remote. */
export const VAULT_PLACE = '{vault}';

export function readGit(reader: EnvironmentReader): GitSettings | undefined {
  const isOn = reader.boolean('NOTES_GIT');
  const token = reader.hidden('NOTES_GIT_TOKEN');
  const remote = reader.text('NOTES_GIT_REMOTE');
  const author = {
    name: authorPart(reader, 'NOTES_GIT_AUTHOR', 'notes'),
    email: authorPart(reader, 'NOTES_GIT_EMAIL', 'notes@localhost'),
  };
  if (remote !== undefined) checkRemote(reader, remote, token !== undefined);
  if (!isOn) {
    for (const name of ['NOTES_GIT_REMOTE', 'NOTES_GIT_TOKEN']) {
      if (reader.text(name)) reader.warn(name, 'does nothing unless NOTES_GIT is true');
    }
    return undefined;
  }
  if (token && remote === undefined) {
    reader.warn('NOTES_GIT_TOKEN', 'does nothing unless NOTES_GIT_REMOTE is set');
  }
  if (token && /[\r\n\0]/.test(token.text)) {
    reader.problem('NOTES_GIT_TOKEN', 'holds a line break; a token is one line');
  }
  return {
    author,
    ...(remote !== undefined && { remote }),
    ...(token && { token: new Secret('git token', token.text) }),
  };
}

/** Without a token, a user name in an http remote is likely the token itself. */
function checkRemote(reader: EnvironmentReader, remote: string, hasToken: boolean): void {
  const name = 'NOTES_GIT_REMOTE';
  const example = remote.replaceAll(VAULT_PLACE, 'vault');
  const problem = remoteProblem(example);
  if (problem !== undefined) {
    reader.problem(name, problem);
  } else if (/^https?:/i.test(example) && new URL(example).username !== '' && !hasToken) {
    reader.problem(
      name,
      'holds a user name that may be a token; put the token into NOTES_GIT_TOKEN',
    );
  }
}

/** Refuses what git would refuse or strip from the author line. */
function authorPart(reader: EnvironmentReader, name: string, fallback: string): string {
  const text = reader.text(name) ?? fallback;
  const isUsable =
    !/[<>\0-\x1f\x7f]/.test(text) && /[^\s.,:;"'\\]/.test(text) && text.length <= 200;
  if (!isUsable)
    reader.problem(name, 'must be a plain text of at most 200 characters without < and >');
  return text;
}
