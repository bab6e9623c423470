/** A vault under watch, and a mirror of it that knows only what the watcher reports. */
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OwnWrites } from '../../../src/notes/files/own-writes.ts';
import { isBelow, type VaultPath } from '../../../src/notes/files/vault-path.ts';
import { listFiles } from '../../../src/notes/files/walk.ts';
import { watchFolder } from '../../../src/notes/watch/folder-watches.ts';
import {
  Watcher,
  type WatcherOptions,
  type WatchListener,
} from '../../../src/notes/watch/watcher.ts';
import type { Cleaner } from '../programs/cleaner.ts';
import { put, recordingLog, temporaryDirectory } from './notes-storage.ts';

/** What an index would hold: the content of every file, kept by the listener's calls alone. */
export class Mirror implements WatchListener {
  readonly contents = new Map<string, string>();
  readonly calls: string[] = [];
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  async changed(paths: readonly VaultPath[]): Promise<void> {
    for (const path of paths) {
      this.calls.push(`changed ${path}`);
      const content = await this.#read(path);
      if (content !== undefined) this.contents.set(path, content);
    }
  }

  async removed(paths: readonly VaultPath[]): Promise<void> {
    for (const path of paths) {
      this.calls.push(`removed ${path}`);
      for (const known of this.contents.keys()) {
        if (known === path || isBelow(known, path)) this.contents.delete(known);
      }
    }
  }

  async sweep(): Promise<void> {
    this.calls.push('sweep');
    this.contents.clear();
    for (const { path } of await listFiles(this.#root)) {
      const content = await this.#read(path);
      if (content !== undefined) this.contents.set(path, content);
    }
  }

  async equalsDisk(): Promise<boolean> {
    const files = await listFiles(this.#root);
    if (files.length !== this.contents.size) return false;
    for (const { path } of files) {
      if ((await this.#read(path)) !== this.contents.get(path)) return false;
    }
    return true;
  }

  #read(path: string): Promise<string | undefined> {
    return readFile(join(this.#root, path), 'utf8').catch(() => undefined);
  }
}

export async function watched(
  context: Cleaner,
  files: Record<string, string>,
  options: Partial<WatcherOptions> = {},
): Promise<{ root: string; mirror: Mirror; watcher: Watcher; lines: string[] }> {
  const root = join(await temporaryDirectory(context), 'vault');
  await mkdir(root);
  for (const [path, content] of Object.entries(files)) await put(root, path, content);
  const mirror = new Mirror(root);
  const { log, lines } = recordingLog();
  const watcher = await Watcher.start({
    root,
    watchFolder,
    own: new OwnWrites(),
    listener: mirror,
    log,
    now: Date.now,
    debounceMs: 20,
    sweepMs: 60_000,
    ...options,
  });
  context.after(() => watcher.stop());
  await mirror.sweep();
  mirror.calls.length = 0;
  return { root, mirror, watcher, lines };
}
