/** The two Markdown servers that `bench:notes` compares with, as engines of this benchmark. */
import { readdirSync } from 'node:fs';
import { type SearchPeer, startMcpvault, startQmd } from '../../support/notes-peers.ts';
import { type Engine, MAX_RESULTS } from '../engine.ts';

interface ToolResult {
  readonly content?: readonly { readonly text?: string }[];
  readonly structuredContent?: { readonly results?: readonly { readonly file: string }[] };
}

/** Its one search, of words. */
export function mcpvault(): Engine {
  return peer('mcpvault', startMcpvault, ({ content }) => {
    const found: { p: string }[] = JSON.parse(content?.[0]?.text ?? '[]');
    return found.map(({ p }) => p);
  });
}

/** BM25 alone: its other searches load language models. */
export function qmd(): Engine {
  return peer('qmd (BM25)', startQmd, ({ structuredContent }) =>
    (structuredContent?.results ?? []).map(({ file }) => file.slice(file.indexOf('/') + 1)),
  );
}

function peer(
  name: string,
  start: (vault: string) => Promise<SearchPeer>,
  pathsOf: (result: ToolResult) => string[],
): Engine {
  let server: SearchPeer;
  let written: Map<string, string>;
  return {
    name,
    async index(vault) {
      written = new Map(
        readdirSync(vault, { recursive: true, encoding: 'utf8' }).map((path) => [bare(path), path]),
      );
      server = await start(vault);
    },
    async search(query) {
      const paths = pathsOf((await server.search(query)) as ToolResult);
      return paths.slice(0, MAX_RESULTS).map((path) => written.get(bare(path)) ?? path);
    },
    close: () => server.close(),
  };
}

/** qmd answers with its own spelling of paths, without letter case and signs such as `@`. */
function bare(path: string): string {
  return path.toLowerCase().replaceAll(/[^\p{L}\p{N}/]/gu, '');
}
