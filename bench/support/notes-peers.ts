/**
 * Two other Markdown servers, installed beside the system's temporary files on the first run and
 * asked over MCP as their users' clients do, through standard input and output.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

export interface SearchPeer {
  readonly name: string;
  search(query: string): Promise<unknown>;
  close(): Promise<void>;
}

const FOLDER = join(tmpdir(), 'gatehouse-bench-peers');
const MCPVAULT = '@bitbonsai/mcpvault@0.16.0';
const QMD = '@tobilu/qmd@2.8.3';

/** Reads every note anew for each search; it has no index. */
export async function startMcpvault(vault: string): Promise<SearchPeer> {
  install();
  const client = await connect('@bitbonsai/mcpvault/dist/server.js', [vault], {});
  return {
    name: MCPVAULT,
    search: (query) => client.callTool({ name: 'search_notes', arguments: { query, limit: 10 } }),
    close: () => client.close(),
  };
}

/** Its keyword search alone, without the language models of its other searches. */
export async function startQmd(vault: string): Promise<SearchPeer> {
  install();
  const home = join(FOLDER, 'qmd-home');
  rmSync(home, { recursive: true, force: true });
  mkdirSync(home);
  const env = { HOME: home, XDG_CACHE_HOME: home, XDG_CONFIG_HOME: home, PATH: process.env.PATH! };
  const program = '@tobilu/qmd/dist/cli/qmd.js';
  execFileSync(
    process.execPath,
    [moduleFile(program), 'collection', 'add', vault, '--name', 'bench'],
    {
      env,
      stdio: 'ignore',
    },
  );
  const client = await connect(program, ['mcp'], env);
  const searches = (query: string) => [{ type: 'lex', query }];
  return {
    name: QMD,
    search: (query) =>
      client.callTool({
        name: 'query',
        arguments: { searches: searches(query), limit: 10, rerank: false },
      }),
    close: () => client.close(),
  };
}

function install(): void {
  if (existsSync(moduleFile('@bitbonsai/mcpvault')) && existsSync(moduleFile('@tobilu/qmd')))
    return;
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(join(FOLDER, 'package.json'), '{"private":true}\n');
  execFileSync('npm', ['install', '--ignore-scripts', MCPVAULT, QMD], {
    cwd: FOLDER,
    stdio: 'ignore',
  });
}

function moduleFile(path: string): string {
  return join(FOLDER, 'node_modules', path);
}

async function connect(program: string, args: string[], env: Record<string, string>) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [moduleFile(program), ...args],
    env,
    stderr: 'ignore',
  });
  const client = new Client({ name: 'bench', version: '1' });
  await client.connect(transport);
  return client;
}
