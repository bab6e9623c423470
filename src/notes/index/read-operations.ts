import { grep } from './grep.ts';
import { linkReach, namedFiles } from './link-reach.ts';
import { listNotes } from './list-files.ts';
import { noteLinks } from './note-links.ts';
import { relatedNotes } from './related-notes.ts';
import { replacePlan } from './replace-plan.ts';
import { namesakes, resolveName, similarNotes } from './resolve-name.ts';
import { vaultReview } from './review/vault-review.ts';
import { search } from './search.ts';
import type { Sql } from './sql.ts';
import { tagList } from './tag-list.ts';
import { taskList } from './task-list.ts';
import { vaultStats } from './vault-stats.ts';

/** Everything the index can be asked, by name. */
export const readOperations = {
  search,
  grep,
  list: listNotes,
  links: noteLinks,
  related: relatedNotes,
  tags: tagList,
  tasks: taskList,
  stats: vaultStats,
  review: vaultReview,
  resolve: resolveName,
  similar: (
    sql: Sql,
    query: { readonly name: string; readonly limit: number; readonly least?: number },
  ) => similarNotes(sql, query.name, query.limit, query.least),
  namesakes,
  reach: linkReach,
  named: namedFiles,
  replace: replacePlan,
} as const;

export type ReadOperations = typeof readOperations;
export type ReadArgument<Name extends keyof ReadOperations> = Parameters<ReadOperations[Name]>[1];
export type ReadResult<Name extends keyof ReadOperations> = ReturnType<ReadOperations[Name]>;
