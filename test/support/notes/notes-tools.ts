/**
 * The tools of the notes server over real vaults in a temporary directory, without HTTP: storage,
 * index, watcher and git are the real ones.
 */
import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RecentCalls } from '../../../src/core/recent-calls/recent-calls.ts';
import { SILENT_PEER } from '../../../src/mcp/elicitation/peer.ts';
import type { Tool, ToolResult } from '../../../src/mcp/tool.ts';
import type { Embeddings } from '../../../src/notes/embeddings/embeddings.ts';
import { IndexWorkers } from '../../../src/notes/index/workers/index-workers.ts';
import { diff } from '../../../src/notes/text/diff.ts';
import { notesTools } from '../../../src/notes/tools.ts';
import type { OpenVault } from '../../../src/notes/vaults/open-vault.ts';
import { OpenVaults } from '../../../src/notes/vaults/open-vaults.ts';
import type { GitSettings } from '../../../src/notes/vaults/vault.ts';
import type { WritePolicy } from '../../../src/notes/vaults/write-policy.ts';
import type { Cleaner } from '../programs/cleaner.ts';
import { put, recordingLog, temporaryDirectory } from './notes-storage.ts';
import { assertRefusalIsDocumented, assertResultIsDocumented } from './tool-reference.ts';

/** What a tool answers, looked into freely by the tests. */
// biome-ignore lint/suspicious/noExplicitAny: every test knows the shape it asserts.
type Json = Record<string, any>;

export interface NotesBench {
  readonly data: string;
  readonly vaults: OpenVaults;
  readonly open: OpenVault;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly recent: RecentCalls;
  /** The lines of the log as objects. */
  lines(): Json[];
  /** The whole answer of a tool. */
  answer(tool: string, args?: object): Promise<ToolResult>;
  /** The result of a call that must succeed. */
  call(tool: string, args?: object): Promise<Json>;
  /** The `{code, message, data}` of a call that must be refused. */
  refusal(tool: string, args?: object): Promise<{ code: string; message: string; data: Json }>;
  /** Puts a file there as an editor would, and into the index. */
  put(path: string, content: string | Buffer): Promise<void>;
  bytes(path: string): Promise<Buffer>;
  text(path: string): Promise<string>;
  exists(path: string): boolean;
}

export interface NotesBenchOptions {
  readonly files?: Readonly<Record<string, string | Buffer>>;
  readonly git?: GitSettings;
  readonly now?: () => Date;
  readonly policy?: WritePolicy;
  readonly data?: string;
  /** Search by meaning, which the test closes. */
  readonly embeddings?: Embeddings;
}

/**
 * To start them takes longer than most tests; they keep no process alive. An expression that never
 * ends is stopped soon: until then it keeps a processor busy.
 */
const workers = new IndexWorkers({ scanTimeoutMs: 1500 });

/** The default vault is `default`; it holds `files` and its index knows them. */
export async function notesBench(
  context: Cleaner,
  options: NotesBenchOptions = {},
): Promise<NotesBench> {
  const data = options.data ?? (await temporaryDirectory(context));
  const { log, lines } = recordingLog();
  const now = options.now ?? (() => new Date());
  const root = join(data, 'default');
  await mkdir(root, { recursive: true });
  for (const [path, content] of Object.entries(options.files ?? {})) {
    await put(root, path, content);
  }
  const vaults = await OpenVaults.open({
    data,
    defaultVault: 'default',
    workers,
    difference: diff,
    log,
    now: () => now().getTime(),
    ...(options.git && { git: options.git }),
    ...(options.policy && { policy: options.policy }),
    ...(options.embeddings && { embeddings: options.embeddings }),
  });
  context.after(() => vaults.close());
  await vaults.ready();
  const open = vaults.get();
  const recent = new RecentCalls();
  const tools = new Map(notesTools({ vaults, log, recent, now }).map((tool) => [tool.name, tool]));

  async function answer(name: string, args: object = {}): Promise<ToolResult> {
    const tool = tools.get(name);
    if (tool === undefined) throw new Error(`there is no tool ${name}`);
    return tool.call(args, {
      caller: { user: 'ada', incarnation: '1', clientId: 'test' },
      onCancelled: () => {},
      onSent: () => {},
      progress: () => {},
      peer: SILENT_PEER,
      isAlive: async () => true,
    });
  }
  return {
    data,
    vaults,
    open,
    recent,
    tools,
    lines: () => lines.map((line) => JSON.parse(line)),
    answer,
    call: async (name, args) => {
      const { isError, content, structuredContent } = await answer(name, args);
      if (isError) throw new Error(`${name} was refused: ${JSON.stringify(content)}`);
      assertResultIsDocumented(name, structuredContent!);
      return structuredContent as Json;
    },
    refusal: async (name, args) => {
      const { isError, content } = await answer(name, args);
      const block = content[1];
      if (!isError || block?.type !== 'text') throw new Error(`${name} was not refused`);
      const refusal = JSON.parse(block.text);
      assertRefusalIsDocumented(name, refusal.code);
      return refusal;
    },
    put: async (path, content) => {
      await put(root, path, content);
      await open.index.refresh([path]);
    },
    bytes: (path) => readFile(join(root, path)),
    text: (path) => readFile(join(root, path), 'utf8'),
    exists: (path) => existsSync(join(root, path)),
  };
}
