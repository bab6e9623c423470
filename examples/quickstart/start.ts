/** `npm start`: all three servers on this machine, and how to use them. */
import { once } from 'node:events';
import { relative } from 'node:path';
import { paint } from './paint.ts';
import { placeOf, type Servers, STOP_SIGNALS, startServers } from './servers.ts';

// Listened for from the beginning, so that a stop during the start leaves no server behind.
const stopping = STOP_SIGNALS.map((signal) => once(process, signal));
try {
  const servers = await startServers(placeOf(process.env));
  console.log(welcome(servers));
  await Promise.race([...stopping, servers.failed]).finally(() => servers.stop());
  console.log('\nstopped');
} catch (error) {
  console.error(paint.bad((error as Error).message));
  process.exitCode = 1;
}

function welcome({ urls, data }: Servers): string {
  const folder = relative(process.cwd(), data.folder) || '.';
  const password = data.isNew
    ? `${data.password}  (kept in ${folder}/password)`
    : `in ${folder}/password`;
  return [
    '',
    paint.strong('Gatehouse is running on this machine.'),
    '',
    row('gateway', urls.gateway, 'sends requests for a model that never holds a key'),
    row('notes', urls.notes, 'a Markdown knowledge base a model can edit and undo'),
    row('decoys', urls.decoys, 'fabrications and honeytokens for scanners'),
    row('example API', urls.api, "the gateway's one target; answers only with a key"),
    '',
    pair('sign in', `demo, password ${password}`),
    pair('connect', `claude mcp add --transport http gateway ${urls.gateway}/mcp`),
    pair('', `claude mcp add --transport http notes ${urls.notes}/mcp`),
    pair('other clients', `open ${urls.gateway}/ and ${urls.notes}/ in a browser`),
    pair('see it work', 'npm run demo (in another terminal)'),
    pair('log lines', `${folder}/logs/*.jsonl`),
    pair('change it', `${folder}/gateway.yaml, read again within a second`),
    pair('stop', 'Ctrl-C'),
    '',
  ].join('\n');
}

function row(name: string, url: string, about: string): string {
  return `  ${paint.strong(name.padEnd(13))} ${url.padEnd(23)} ${paint.faint(about)}`;
}

function pair(name: string, text: string): string {
  return `  ${name.padEnd(13)} ${text}`;
}
