import { searchablePhrase } from '../content/searchable-text.ts';
import { matchTerm } from '../query/match-query.ts';
import type { Sql } from '../store/sql.ts';

/**
 * Whether any note says the name of the file, wherever it stands: `<img src>` and `cover:` show a
 * picture without being links. Words that only look like the name count, too.
 */
export function isNameSaid(sql: Sql, path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1).toWellFormed();
  const phrases = spellings(name).flatMap((spelt) => searchablePhrase(spelt) ?? []);
  if (phrases.length === 0) return false;
  const query = phrases.map(matchTerm).join(' OR ');
  const found = sql.get('SELECT 1 FROM sections_fts WHERE sections_fts MATCH ? LIMIT 1', query);
  return found !== undefined;
}

/** As it is, and as HTML and addresses write it. */
function spellings(name: string): string[] {
  const forms = [name.normalize('NFC'), name.normalize('NFD')];
  const all = forms.flatMap((form) => [
    form,
    form.replaceAll('&', '&amp;'),
    encodeURI(form),
    encodeURIComponent(form),
    encodeURIComponent(form).replace(/[!'()*]/g, percent),
  ]);
  return [...new Set(all)];
}

function percent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
