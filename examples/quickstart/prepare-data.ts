/** The data folder of the quickstart: its keys are made once and stay, and so does a changed file. */
import { randomBytes } from 'node:crypto';
import { accessSync, constants, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Data {
  readonly folder: string;
  readonly password: string;
  /** True when the password was made just now. */
  readonly isNew: boolean;
  readonly apiKey: string;
  readonly config: string;
}

const GATEWAY_PORT = 2019;
const API_PORT = 2022;
/** Without letters and digits that are easily taken for one another. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789';

/** Throws one sentence that says what to do. */
export function prepareData(folder: string, firstPort: number): Data {
  try {
    mkdirSync(join(folder, 'logs'), { recursive: true, mode: 0o700 });
    mkdirSync(join(folder, 'notes'), { recursive: true, mode: 0o700 });
    accessSync(folder, constants.W_OK);
  } catch {
    throw new Error(
      `the folder ${folder} cannot be written; make it yours, or name another in QUICKSTART_DATA`,
    );
  }
  const isNew = !existsSync(join(folder, 'password'));
  const password = kept(folder, 'password', () => word(16));
  const apiKey = kept(folder, 'api.key', () => `ex_${randomBytes(24).toString('base64url')}`);
  kept(folder, 'decoys.key', () => randomBytes(32).toString('base64url'));
  const config = join(folder, 'gateway.yaml');
  if (!existsSync(config)) writeFileSync(config, configFor(folder, firstPort), { mode: 0o600 });
  return { folder, password, isNew, apiKey, config };
}

function kept(folder: string, name: string, make: () => string): string {
  const file = join(folder, name);
  if (!existsSync(file)) writeFileSync(file, `${make()}\n`, { mode: 0o600 });
  return readFileSync(file, 'utf8').trim();
}

function word(length: number): string {
  return Array.from(randomBytes(length), (byte) => ALPHABET[byte % ALPHABET.length]).join('');
}

/** The example with the folder and the ports of this run. */
function configFor(folder: string, firstPort: number): string {
  const example = readFileSync(new URL('gateway.yaml', import.meta.url), 'utf8');
  return example
    .replaceAll('file:data/', `file:${folder}/`)
    .replaceAll(`127.0.0.1:${GATEWAY_PORT}`, `127.0.0.1:${firstPort}`)
    .replaceAll(`127.0.0.1:${API_PORT}`, `127.0.0.1:${firstPort + API_PORT - GATEWAY_PORT}`);
}
