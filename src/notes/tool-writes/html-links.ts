/** Reports HTML links (`href`, `src`) to a moved file, which are not rewritten. */
import { basename } from 'node:path/posix';
import { clip } from '../tool-kit/fit.ts';
import type { OpenVault } from '../vaults/open-vault.ts';

const MAX_REPORTED = 10;

/** None if the index cannot answer. May name a link to another file of the same name. */
export async function htmlLinksTo({ index }: OpenVault, path: string): Promise<string[]> {
  const name = basename(path);
  const spelt = [...new Set([name, encodeURI(name), encodeURIComponent(name)])];
  const names = spelt.map((one) => RegExp.escape(one)).join('|');
  const pattern = `\\b(?:href|src)\\s*=\\s*["']?[^"'<>]*(?<![^/"'=])(?:${names})(?=["'#?\\s>])`;
  const query = { pattern, regex: true, limit: MAX_REPORTED };
  const found = await index.grep(query).catch(() => undefined);
  return (found?.matches ?? []).map(
    (match) =>
      `line ${match.line} of "${clip(match.path)}" has an HTML link to "${clip(name)}", which was not updated`,
  );
}
