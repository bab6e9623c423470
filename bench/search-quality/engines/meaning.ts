/**
 * Our index with the local model: by meaning alone, and fused with words as `note_search` does it. The
 * folder that SEARCH_QUALITY_INDEX names keeps the vectors for the next run.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLog } from '../../../src/core/log/log.ts';
import { Embeddings } from '../../../src/notes/embeddings/embeddings.ts';
import { localModelProblem } from '../../../src/notes/embeddings/local/optional-packages.ts';
import { ToolActivity } from '../../../src/notes/embeddings/tool-activity.ts';
import { VaultEmbeddings } from '../../../src/notes/embeddings/vault-embeddings.ts';
import { NoteIndex } from '../../../src/notes/index/note-index.ts';
import { IndexWorkers } from '../../../src/notes/index/workers/index-workers.ts';
import { type Engine, MAX_RESULTS } from '../engine.ts';

/** To embed the corpus takes ten minutes: the second engine takes what the first has made. */
let shared: Promise<Shared> | undefined;

interface Shared {
  readonly index: NoteIndex;
  readonly meaning: VaultEmbeddings;
  close(): Promise<void>;
}

export const oursByMeaning = () => engine('ours by meaning', true);
/** Asked after `oursByMeaning`. */
export const oursBoth = () => engine('ours, both', false);

function engine(name: string, isAlone: boolean): Engine {
  let opened: Shared;
  return {
    name,
    async index(vault) {
      const problem = localModelProblem(undefined);
      if (problem !== undefined) throw new Error(problem);
      shared ??= open(vault);
      opened = await shared;
    },
    async search(query) {
      const vector = await opened.meaning.queryVector(query);
      if (vector === undefined) throw new Error('the query has no vector');
      const found = await opened.index.search({
        query,
        limit: MAX_RESULTS,
        meaning: { ...vector, isAlone },
      });
      return found.items.map(({ path }) => path);
    },
    async close() {
      if (!isAlone) await opened.close();
    },
  };
}

async function open(vault: string): Promise<Shared> {
  const folder = mkdtempSync(join(tmpdir(), 'search-quality-'));
  const workers = new IndexWorkers();
  const file = join(process.env.SEARCH_QUALITY_INDEX ?? folder, 'index.db');
  const index = await NoteIndex.open({ root: vault, file, workers });
  await index.build();
  const embeddings = new Embeddings({ kind: 'local', folder: undefined, exclude: [] });
  const meaning = new VaultEmbeddings({
    vault: 'search-quality',
    tables: index.vectors,
    embeddings,
    activity: new ToolActivity(),
    log: createLog({ level: 'error' }),
  });
  meaning.update();
  await meaning.settled();
  return {
    index,
    meaning,
    close: async () => {
      await meaning.close();
      await embeddings.close();
      await index.close();
      await workers.close();
      rmSync(folder, { recursive: true });
    },
  };
}
