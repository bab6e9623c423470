import type { DatabaseSync } from 'node:sqlite';
import { spellingKey } from '../../files/vault-path.ts';
import { foldText } from './folded-text.ts';
import { matchesGlob } from './glob.ts';

/** Adds the SQL functions that queries use. */
export function addFunctions(database: DatabaseSync): void {
  const options = { deterministic: true };
  database.function('matches_glob', options, (pattern, path) =>
    Number(matchesGlob(String(pattern), String(path))),
  );
  database.function('path_starts', options, (start, path) =>
    Number(spellingKey(String(path)).startsWith(spellingKey(String(start)))),
  );
  database.function('name_holds', options, (part, path) => {
    const name = String(path).slice(String(path).lastIndexOf('/') + 1);
    return Number(spellingKey(name).includes(spellingKey(String(part))));
  });
  database.function('contains_text', options, (text, part) =>
    Number(foldText(String(text)).includes(foldText(String(part)))),
  );
}
