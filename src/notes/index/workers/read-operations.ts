import { linkReach, namedFiles } from '../build/link-reach.ts';
import { grep } from '../query/grep.ts';
import { listNotes } from '../query/list-files.ts';
import { noteLinks } from '../query/note-links.ts';
import { relatedNotes } from '../query/related-notes.ts';
import { replacePlan } from '../query/replace-plan.ts';
import { namesakes, resolveName, similarNotes } from '../query/resolve-name.ts';
import { search } from '../query/search.ts';
import { tagList } from '../query/tag-list.ts';
import { taskList } from '../query/task-list.ts';
import { vaultStats } from '../query/vault-stats.ts';
import { vaultReview } from '../review/vault-review.ts';
import type { Sql } from '../store/sql.ts';
import { countModels, countVectors, pendingTexts } from '../vectors/pending-texts.ts';

/** All read operations by name. */
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
  pendingTexts,
  countModels,
  countVectors,
} as const;

export type ReadOperations = typeof readOperations;
export type ReadArgument<Name extends keyof ReadOperations> = Parameters<ReadOperations[Name]>[1];
export type ReadResult<Name extends keyof ReadOperations> = ReturnType<ReadOperations[Name]>;
