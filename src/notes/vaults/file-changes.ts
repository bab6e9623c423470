/**
 * Tells those who watch single files of the vaults that one has changed, through a tool or by
 * another program. A call says where to look: the file may be the same, or gone.
 */
export type Unwatch = () => void;

export class FileChanges {
  readonly #byVault = new Map<string, Map<string, Set<() => void>>>();

  watch(vault: string, path: string, changed: () => void): Unwatch {
    const files = this.#byVault.get(vault) ?? new Map<string, Set<() => void>>();
    const watching = files.get(path) ?? new Set();
    this.#byVault.set(vault, files.set(path, watching.add(changed)));
    return () => {
      watching.delete(changed);
      if (watching.size === 0 && files.get(path) === watching) files.delete(path);
      if (files.size === 0 && this.#byVault.get(vault) === files) this.#byVault.delete(vault);
    };
  }

  changed(vault: string, paths: Iterable<string>): void {
    const files = this.#byVault.get(vault);
    if (files === undefined) return;
    for (const path of new Set(paths)) notify(files.get(path));
  }

  /** Files, and folders with all that was in them. */
  removed(vault: string, paths: readonly string[]): void {
    for (const [path, watching] of this.#byVault.get(vault) ?? []) {
      if (paths.some((gone) => path === gone || path.startsWith(`${gone}/`))) notify(watching);
    }
  }

  /** Nobody knows which ones. */
  anyChanged(vault: string): void {
    for (const watching of this.#byVault.get(vault)?.values() ?? []) notify(watching);
  }
}

function notify(watching: ReadonlySet<() => void> | undefined): void {
  for (const changed of [...(watching ?? [])]) changed();
}
