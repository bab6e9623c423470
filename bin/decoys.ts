#!/usr/bin/env node
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

// From the second start on, compiled code comes from here; unwritable, it is left out in silence.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/gatehouse', import.meta.url)));
const { run } = await import('../src/decoys/commands/cli.ts');

process.exitCode = await run(process.argv.slice(2), process.env);
