#!/usr/bin/env node
import { enableCompileCache } from 'node:module';

// From the second start on, compiled code comes from here; unwritable, it is left out in silence.
enableCompileCache(new URL('../node_modules/.cache/gatehouse', import.meta.url).pathname);
const { run } = await import('../src/decoys/cli.ts');

process.exitCode = await run(process.argv.slice(2), process.env);
