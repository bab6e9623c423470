/**
 * The file of a refresh token.
 *
 * Prevents a lost grant: a provider that rotates the token no longer accepts the old one, so the file
 * is replaced atomically (written beside it, flushed, renamed), and a process that is killed leaves
 * the old or the new one. A token that cannot be written is kept in memory.
 */
import { chown, open, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { CredentialError } from './credential-error.ts';
import type { RefreshTokens } from './minted.ts';

const MAX_LETTERS = 16 * 1024;

export class RefreshTokenFile implements RefreshTokens {
  readonly #path: string;
  readonly #onUnwritable: (error: unknown) => void;
  /** What could not be written, and what the file holds instead. */
  #unwritten: { readonly stale: string; readonly token: string } | undefined;

  constructor(path: string, onUnwritable: (error: unknown) => void) {
    this.#path = path;
    this.#onUnwritable = onUnwritable;
  }

  async read(): Promise<string> {
    const token = await this.#readFile();
    return token === this.#unwritten?.stale ? this.#unwritten.token : token;
  }

  async replace(spent: string, token: string): Promise<void> {
    // What the file holds, if that was not written either.
    const stale = this.#unwritten?.token === spent ? this.#unwritten.stale : spent;
    try {
      await writeTokenFile(this.#path, token);
      this.#unwritten = undefined;
    } catch (error) {
      this.#unwritten = { stale, token };
      this.#onUnwritable(error);
    }
  }

  async #readFile(): Promise<string> {
    let text: string;
    try {
      text = (await readFile(this.#path, 'utf8')).trim();
    } catch (error) {
      const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
      throw new CredentialError(isMissing ? 'no_refresh_token' : 'unreadable_refresh_token');
    }
    if (text === '') throw new CredentialError('no_refresh_token');
    if (text.length > MAX_LETTERS) throw new CredentialError('unreadable_refresh_token');
    return text;
  }
}

/** Readable by its owner alone, from the first byte on. */
export async function writeTokenFile(path: string, token: string): Promise<void> {
  const target = await realpath(path).catch(() => path);
  const folder = dirname(target);
  const { uid, gid } = await stat(target).catch(() => stat(folder));
  const next = `${target}.next`;
  await rm(next, { force: true });
  await writeFile(next, `${token}\n`, { flag: 'wx', mode: 0o600, flush: true });
  // The user that runs the gateway keeps the file when root writes it.
  if (process.getuid?.() === 0) await chown(next, uid, gid);
  await rename(next, target);
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
