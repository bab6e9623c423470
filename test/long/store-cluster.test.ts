/** A Redis Cluster of six processes as the store, and one of its masters killed. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../support/programs/free-port.ts';
import { useAsStore } from '../support/replicas/as-store.ts';
import { replicasMissing, startRedis, type TestRedis } from '../support/replicas/programs.ts';

const NODES = 6;

describe('a cluster of three masters and three replicas', { skip: replicasMissing() }, () => {
  const nodes: TestRedis[] = [];
  let url: string;
  before(async () => {
    for (let n = 0; n < NODES; n++) {
      const options = ['--cluster-enabled', 'yes', '--cluster-node-timeout', '1000'];
      const bus = ['--cluster-port', String(await freePort())];
      nodes.push(await startRedis([...options, ...bus]));
    }
    const addresses = nodes.map(({ port }) => `127.0.0.1:${port}`);
    const create = [
      '--cluster',
      'create',
      ...addresses,
      '--cluster-replicas',
      '1',
      '--cluster-yes',
    ];
    const { status, stdout } = spawnSync('redis-cli', create, { encoding: 'utf8' });
    assert.equal(status, 0, stdout);
    url = `redis+cluster://${addresses.slice(0, 3).join(',')}`;
    await untilWhole();
  });
  after(() => Promise.all(nodes.map((node) => node.remove())));

  /** Until every node that runs knows that all slots are served. */
  async function untilWhole(running = nodes): Promise<void> {
    for (const node of running) {
      while (!/cluster_state:ok/.test(await node.admin((c) => c.cluster('INFO')))) await delay(50);
    }
  }

  test('is used like one server', () => useAsStore(url));

  test('goes on when a master is killed', async () => {
    const isMaster = (node: TestRedis) =>
      node.admin(async (connection) => String((await connection.role())[0]) === 'master');
    const [first] = nodes;
    // A replica that has no copy yet may not be elected.
    for (const node of nodes) {
      const isCopy = async () =>
        /role:master|master_link_status:up/.test(await node.admin((c) => c.info('replication')));
      while (!(await isCopy())) await delay(50);
    }
    assert.ok(await isMaster(first!));
    const others = nodes.slice(1);
    const masters = async () => (await Promise.all(others.map(isMaster))).filter(Boolean).length;
    await first!.stop('SIGKILL');
    while ((await masters()) < 3) await delay(100);
    await untilWhole(others);
    await useAsStore(url);
  });
});
