/** Warnings about the configuration of a store, for `validate`. */
import { describeError, type Log } from '../log/log.ts';
import { type Connection, createConnection, disconnect } from './client.ts';
import { openStore } from './open-store.ts';
import type { StoreAddress } from './store-address.ts';

const WAIT_MS = 5_000;
const SILENT: Log = { debug() {}, info() {}, warn() {}, error() {}, always: () => true };

/** The warnings; an unreachable store is one, too. */
export async function judgeStore(address: StoreAddress): Promise<readonly string[]> {
  try {
    const store = await openStore(address, { log: SILENT, program: 'validate', waitMs: WAIT_MS });
    await store.close();
  } catch (error) {
    return [describeError(error)];
  }
  const connection = await createConnection(address);
  connection.on('error', () => {});
  try {
    await connection.connect();
    return await judge(connection);
  } catch (error) {
    return [`the store cannot be checked: ${describeError(error)}`];
  } finally {
    disconnect(connection);
  }
}

async function judge(connection: Connection): Promise<string[]> {
  const text = await connection.info();
  const field = (name: string) => new RegExp(`^${name}:(.*?)\r?$`, 'm').exec(text)?.[1];
  const warnings: string[] = [];
  const valkey = field('valkey_version');
  const [version, oldest] = valkey
    ? ([valkey, [7, 2]] as const)
    : ([field('redis_version') ?? '0', [6, 2]] as const);
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major < oldest[0]! || (major === oldest[0] && minor < oldest[1]!)) {
    warnings.push(
      `the store is version ${version}; Redis 6.2 or Valkey 7.2 is the oldest supported`,
    );
  }
  const policy = field('maxmemory_policy');
  if (policy !== undefined && policy !== 'noeviction') {
    warnings.push(
      `the store forgets records when it is full (maxmemory-policy ${policy}), which signs people out; set maxmemory-policy noeviction`,
    );
  }
  if (field('aof_enabled') === '0' && !(await savesSnapshots(connection))) {
    warnings.push(
      'the store keeps nothing on disk, so that its restart signs everybody out; set appendonly yes',
    );
  }
  return warnings;
}

/** Managed servers refuse CONFIG and are assumed to persist their data. */
async function savesSnapshots(connection: Connection): Promise<boolean> {
  try {
    const [, points = ''] = (await connection.config('GET', 'save')) as string[];
    return points !== '';
  } catch {
    return true;
  }
}
