#!/usr/bin/env node
import { enableCompileCache } from 'node:module';

// From the second start on, compiled code comes from here; unwritable, it is left out in silence.
enableCompileCache(new URL('../node_modules/.cache/gatehouse', import.meta.url).pathname);
// Name lookups wait in Node's thread pool: a few that stall must not hold up everyone's.
process.env.UV_THREADPOOL_SIZE ??= '16';
const { run } = await import('../src/gateway/cli.ts');

process.exitCode = await run(process.argv.slice(2), process.env);
