/**
 * Calls tools in a process of its own, for limits or users that are not those of the test: the data
 * directory is the argument, the calls come on standard input, each answer is a line with its code.
 */
import { text } from 'node:stream/consumers';
import { cleaner } from '../programs/cleaner.ts';
import { notesBench } from './notes-tools.ts';

const context = cleaner();
const calls: [string, object][] = JSON.parse(await text(process.stdin));
const bench = await notesBench(context, { data: process.argv[2]! });
for (const [tool, args] of calls) {
  const { isError, content } = await bench.answer(tool, args);
  const refusal = isError && content[1]?.type === 'text' ? JSON.parse(content[1].text) : undefined;
  console.log(refusal === undefined ? 'ok' : `${refusal.code} ${refusal.data.errno}`);
}
await context.clean();
