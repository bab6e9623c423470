/**
 * Notifies subscribers of single files after a change by a tool or by another program. The file may
 * be unchanged, or gone.
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

  /** Also notifies subscribers of files in a removed folder. */
  removed(vault: string, paths: readonly string[]): void {
    for (const [path, watching] of this.#byVault.get(vault) ?? []) {
      if (paths.some((gone) => path === gone || path.startsWith(`${gone}/`))) notify(watching);
    }
  }

  /** For a change of unknown files. */
  anyChanged(vault: string): void {
    for (const watching of this.#byVault.get(vault)?.values() ?? []) notify(watching);
  }
}

function notify(watching: ReadonlySet<() => void> | undefined): void {
  for (const changed of [...(watching ?? [])]) changed();
}
