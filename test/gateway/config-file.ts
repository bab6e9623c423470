/** A separate configuration file for a test, read without starting anything. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatProblem } from '../../src/core/config/problems.ts';
import type { Config } from '../../src/gateway/config/config.ts';
import { readConfig } from '../../src/gateway/config/read-config.ts';

export interface Reading {
  readonly config: Config | undefined;
  /** Without the path of the file: `3: server.listen: …`. */
  readonly problems: string[];
  readonly warnings: string[];
}

export function readText(text: string | Buffer, env: Record<string, string> = {}): Reading {
  const directory = mkdtempSync(join(tmpdir(), 'config-test-'));
  try {
    const path = join(directory, 'config.yaml');
    writeFileSync(path, text);
    return readPath(path, env);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

export function readPath(path: string, env: Record<string, string> = {}): Reading {
  const { config, problems } = readConfig(path, { env });
  const lines = (list: typeof problems.errors) =>
    list.map((problem) => formatProblem(problem).replace(path, '').replace(/^:\s*/, ''));
  return { config, problems: lines(problems.errors), warnings: lines(problems.warnings) };
}

/** One user with one target, each with what a test wants to add or change. */
export function readWith(
  parts: { server?: object; user?: object; target?: object },
  env: Record<string, string> = {},
): Reading {
  const target = {
    id: 't',
    description: 'd',
    base_url: 'https://api.example.com',
    ...parts.target,
  };
  const user = { name: 'alice', password: 'password', targets: [target], ...parts.user };
  const server = { public_url: 'https://gateway.example.com', ...parts.server };
  return readText(JSON.stringify({ server, users: [user] }), env);
}
