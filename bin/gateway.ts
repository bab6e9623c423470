#!/usr/bin/env node
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

// From the second start on, compiled code comes from here; unwritable, it is left out in silence.
// The threads that hash know of it from the environment alone.
const cache = fileURLToPath(new URL('../node_modules/.cache/gatehouse', import.meta.url));
process.env.NODE_COMPILE_CACHE ??= cache;
enableCompileCache(cache);
// Name lookups wait in half of Node's thread pool; `src/core/net/lookups.ts` shares them.
process.env.UV_THREADPOOL_SIZE ??= '32';
const { run } = await import('../src/gateway/commands/cli.ts');

process.exitCode = await run(process.argv.slice(2), process.env);
