/**
 * `npm run demo`: what the three servers promise, shown on the ones of `npm start`, or on ones of
 * its own where those do not run. A step whose claim is not so ends the demo with code 1.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { McpClient } from './mcp-client.ts';
import { paint } from './paint.ts';
import { prepareData } from './prepare-data.ts';
import {
  logFile,
  type Place,
  type Program,
  placeOf,
  STOP_SIGNALS,
  startServers,
  urlsOf,
} from './servers.ts';

type Line = Record<string, unknown>;

const LOOK_MS = 50;
const PATIENCE_MS = 10_000;
const NOTE = 'demo/what-a-model-may-do.md';

for (const signal of STOP_SIGNALS) process.once(signal, () => process.exit(1));
let place: Place | undefined;
try {
  place = placeOf(process.env);
  const own = (await isRunning(place)) ? undefined : await startServers(place);
  say(own ? 'Starting the servers for this demo.' : 'Using the servers that run already.');
  await Promise.race([demo(place), own?.failed ?? new Promise<never>(() => {})]).finally(() =>
    own?.stop(),
  );
  say(paint.good('\nEverything above was checked as it happened.'));
} catch (error) {
  const claim = error instanceof assert.AssertionError ? '\nnot so: ' : '';
  const logs = place ? `; what the servers logged is in ${join(place.folder, 'logs')}` : '';
  console.error(paint.bad(`${claim}${(error as Error).message}${logs}`));
  process.exitCode = 1;
}
process.exit();

async function demo(place: Place): Promise<void> {
  const urls = urlsOf(place);
  const { password, apiKey } = prepareData(place.folder, place.firstPort);

  step('A client registers itself and the user signs in; the model gets a token, never a key.');
  const gateway = await McpClient.signIn(urls.gateway, 'demo', password);
  show('signed in', `demo at ${urls.gateway}`);

  step('list_targets shows where the model may go, and nothing of what is attached on the way.');
  const targets = await gateway.call('list_targets');
  const targetText = JSON.stringify(targets.value);
  assert.ok(targetText.includes('"example"'), 'the example target is listed');
  assert.ok(!/api_key|Bearer|Authorization/.test(targetText), 'no credential is named');
  show('targets', targetText);

  step('The upstream repeats its credential; the model sees [REDACTED] in its place.');
  const auditsFrom = linesOf(place, 'gateway').length;
  const echo = await gateway.call('http_request', { url: `${urls.api}/echo` });
  const body = String(echo.value.body);
  assert.equal(echo.value.status, 200, 'the API accepted the key that the gateway attached');
  assert.ok(body.includes('Bearer [REDACTED]'), 'the marker is where the key was');
  assert.ok(!JSON.stringify(echo.value).includes(apiKey), 'the key itself is nowhere');
  show('answer', body.trim());

  step('The operator sees one line for the call: what was attached, what was taken out.');
  const audit = await lineAfter(place, 'gateway', auditsFrom, ({ event }) => event === 'request');
  assert.deepEqual([audit.injected, audit.redacted], [['api_key'], 1], 'the line tells of both');
  show('audit', JSON.stringify(audit));

  step('What is not on the allow-list is refused, with a reason the model can act on.');
  const refused = await gateway.call('http_request', { url: `${urls.api}/admin` });
  assert.ok(refused.isError, 'the request is refused');
  show('refusal', String(refused.value.text));

  step('In the notes a model creates a note, and every write can be undone.');
  const notes = await McpClient.signIn(urls.notes, 'demo', password);
  const content = '# What a model may do\n\nAsk, and be checked.\n';
  const created = await succeeded(notes, 'note_create', {
    path: NOTE,
    content,
    if_exists: 'suffix',
  });
  const path = String(created.path);
  show('created', path);

  step('An edit replaces the words it names; every other byte stays.');
  const edits = [{ old_string: 'be checked', new_string: 'be checked, every time' }];
  const edited = await succeeded(notes, 'note_edit', { path, edits });
  show('difference', String(edited.diff));

  step('The search finds the new words at once.');
  const found = await succeeded(notes, 'note_search', { query: 'checked every time' });
  assert.ok(JSON.stringify(found).includes(path), 'the note is found');
  show('found', path);

  step('One call undoes the edit, byte for byte.');
  await succeeded(notes, 'change_undo', { change_id: edited.change_id });
  const read = await succeeded(notes, 'note_read', { path });
  assert.equal(read.content, content, 'the note is as it was created');
  show('read again', JSON.stringify(read.content));
  await succeeded(notes, 'change_undo', { change_id: created.change_id });

  step('A scanner asks for a file that assistants keep; the decoy gives it a honeytoken.');
  const probe = await fetch(`${urls.decoys}/.mcp/mcp.json`);
  const [token] = /hp_live_[a-z2-7]{32}/.exec(await probe.text()) ?? [];
  assert.ok(token, 'the file holds a honeytoken');
  show('stolen', `${token.slice(0, 16)}…`);

  step('Used against the gateway, the token is refused like any other, and names who took it.');
  const before = linesOf(place, 'gateway').length;
  const headers = { authorization: `Bearer ${token}` };
  const tried = await fetch(`${urls.gateway}/mcp`, { method: 'POST', headers });
  assert.equal(tried.status, 401, 'the thief sees an ordinary refusal');
  const named = await lineAfter(
    place,
    'gateway',
    before,
    ({ event }) => event === 'honeytoken_used',
  );
  assert.equal(named['honeytoken.received_by'], '127.0.0.1', 'the address that took it');
  assert.equal(named['honeytoken.site'], 'decoys', 'and where');
  show('the thief', JSON.stringify(named));
}

async function isRunning(place: Place): Promise<boolean> {
  try {
    return (await fetch(`${urlsOf(place).gateway}/healthz`)).ok;
  } catch {
    return false;
  }
}

async function succeeded(client: McpClient, tool: string, args: object): Promise<Line> {
  const { isError, value } = await client.call(tool, args);
  assert.ok(!isError, `${tool} was refused: ${value.text}`);
  return value;
}

function linesOf(place: Place, program: Program): Line[] {
  const lines = readFileSync(logFile(place, program), 'utf8').split('\n');
  return lines.slice(0, -1).map((line) => JSON.parse(line) as Line);
}

async function lineAfter(
  place: Place,
  program: Program,
  from: number,
  fits: (line: Line) => boolean,
): Promise<Line> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const found = linesOf(place, program).slice(from).find(fits);
    if (found !== undefined) return found;
    assert.ok(Date.now() < deadline, `the ${program} wrote no such line`);
    await delay(LOOK_MS);
  }
}

function step(sentence: string): void {
  say(`\n${paint.strong(sentence)}`);
}

function show(name: string, text: string): void {
  const [first, ...more] = text.split('\n');
  say(`  ${paint.faint(name.padEnd(12))} ${first}`);
  for (const line of more) say(`  ${' '.repeat(12)} ${line}`);
}

function say(text: string): void {
  console.log(text);
}
