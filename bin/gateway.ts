#!/usr/bin/env node
import { run } from '../src/gateway/cli.ts';

const output = {
  out: (line: string) => process.stdout.write(`${line}\n`),
  err: (line: string) => process.stderr.write(`${line}\n`),
};
process.exitCode = await run(process.argv.slice(2), process.env, output);
