/** Our index as `note_search` asks it: the default mode, through the worker threads of the server. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NoteIndex } from '../../../src/notes/index/note-index.ts';
import { IndexWorkers } from '../../../src/notes/index/workers/index-workers.ts';
import { type Engine, MAX_RESULTS } from '../engine.ts';

export function ours(): Engine {
  const workers = new IndexWorkers();
  const folder = mkdtempSync(join(tmpdir(), 'search-quality-'));
  let index: NoteIndex;
  return {
    name: 'ours, words',
    async index(vault) {
      index = await NoteIndex.open({ root: vault, file: join(folder, 'index.db'), workers });
      await index.build();
    },
    async search(query) {
      const { items } = await index.search({ query, limit: MAX_RESULTS });
      return items.map(({ path }) => path);
    },
    async close() {
      await index.close();
      await workers.close();
      rmSync(folder, { recursive: true });
    },
  };
}
