import type { DatabaseSync } from 'node:sqlite';
import { foldText } from './folded-text.ts';
import { matchesGlob } from './glob.ts';

/** What queries need and SQL does not have. */
export function addFunctions(database: DatabaseSync): void {
  const options = { deterministic: true };
  database.function('matches_glob', options, (pattern, path) =>
    Number(matchesGlob(String(pattern), String(path))),
  );
  database.function('contains_text', options, (text, part) =>
    Number(foldText(String(text)).includes(foldText(String(part)))),
  );
}
