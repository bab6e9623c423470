/** `decoys open <token>`: shows what a honeytoken holds, with the keys of the environment. */
import type { Output } from '../../core/command-line/output.ts';
import type { Environment } from '../../core/config/environment.ts';
import { formatProblem } from '../../core/config/problems.ts';
import { readSettings } from '../settings.ts';
import { Honeytokens } from '../tokens/honeytoken.ts';

const API_KEY = /^sk_live_honeypot([0-9]{1,15})$/;

export async function openToken(token: string, env: Environment, output: Output): Promise<number> {
  const id = API_KEY.exec(token)?.[1];
  if (id !== undefined) {
    print(output, { decoy: 'rest-api-idor', field: 'api_key', id });
    return 0;
  }
  const settings = readSettings(env);
  if ('problems' in settings) {
    for (const problem of settings.problems) output.err(formatProblem(problem));
    return 1;
  }
  if (settings.isKeyRandom) {
    output.err('set DECOYS_KEY to the key that issued the token');
    return 1;
  }
  const { key, oldKeys } = settings;
  const opened = new Honeytokens({ key, oldKeys, site: 'decoys' }).open(token, Date.now());
  if (opened === undefined) {
    output.err('not a honeytoken of these keys, or it was modified');
    return 1;
  }
  const { place, day, site, address, confidence } = opened;
  const received = { 'received by': address, day, site, confidence };
  print(output, { decoy: place.tag, field: place.field, ...received });
  return 0;
}

function print(output: Output, facts: Readonly<Record<string, string | undefined>>): void {
  for (const [name, value] of Object.entries(facts)) {
    if (value !== undefined) output.out(`${`${name}:`.padEnd(13)} ${value}`);
  }
}
