/** A provider that ends the grant when a refresh token is used twice, and replicas that share it. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { Secret } from '../../core/secrets/secret.ts';
import { StoreUnavailable } from '../../core/store/shared-store.ts';
import { MemoryStore, type Store } from '../../core/store/store.ts';
import { CredentialError } from './credential-error.ts';
import type { MintContext, Minted } from './minted.ts';
import { RefreshTokenFile } from './refresh-token-file.ts';
import { SharedRefresh } from './shared-refresh.ts';

const SEAL_KEY = new Secret('seal key', 'a seal key of the tests, thirty-two letters or more');
const LIFETIME_MS = 60_000;
const directory = mkdtempSync(join(tmpdir(), 'shared-refresh-'));
after(() => rmSync(directory, { recursive: true }));

/** Strict rotation, as RFC 9700 has it. */
class Provider {
  refreshToken = 'refresh-token-0';
  requests = 0;
  isEnded = false;

  spend(token: string): { access: string; refresh: string } {
    if (token !== this.refreshToken) this.isEnded = true;
    if (this.isEnded) throw new CredentialError('invalid_grant', 400);
    this.requests += 1;
    this.refreshToken = `refresh-token-${this.requests}`;
    return { access: `access-token-${this.requests}`, refresh: this.refreshToken };
  }
}

let files = 0;

/** A gateway with a file of its own. */
class Replica {
  readonly path = join(directory, `token-${files++}`);
  readonly file = new RefreshTokenFile(this.path, () => assert.fail('unwritten'));
  readonly shared: SharedRefresh;
  had: Secret | undefined;
  nowMs = 1_800_000_000_000;

  constructor(store: Store, text: string | undefined = 'refresh-token-0') {
    this.shared = new SharedRefresh(store, SEAL_KEY);
    if (text !== undefined) writeFileSync(this.path, text);
  }

  get text(): string {
    return readFileSync(this.path, 'utf8').trim();
  }

  /** As `oauth2.ts` refreshes; `during` runs between the question and the answer. */
  async obtain(provider: Provider, during: () => Promise<void> = async () => {}): Promise<string> {
    const context: MintContext = {
      fetch: () => assert.fail('not used'),
      wallNowMs: () => this.nowMs,
      expose: (part, value) => new Secret(part, value),
      refreshTokens: undefined,
    };
    const mint = async ({ refreshTokens, expose }: MintContext): Promise<Minted> => {
      const spent = await refreshTokens!.read();
      expose('refresh_token', spent);
      const { access, refresh } = provider.spend(spent);
      await during();
      expose('refresh_token', refresh);
      await refreshTokens!.replace(spent, refresh);
      return { token: expose('token', access), lifetimeMs: LIFETIME_MS, status: 200 };
    };
    const need = { key: 'ann/calendar', context, file: this.file, had: this.had, requestMs: 100 };
    const { token } = await this.shared.run(need, mint);
    this.had = token;
    return token.reveal();
  }
}

describe('replicas with files of their own', () => {
  test('spend one refresh token once, and all files follow', async () => {
    const [store, provider] = [new MemoryStore(), new Provider()];
    const replicas = Array.from({ length: 5 }, () => new Replica(store));
    for (let round = 1; round <= 4; round++) {
      const tokens = await Promise.all(replicas.map((replica) => replica.obtain(provider)));
      assert.deepEqual(new Set(tokens), new Set([`access-token-${round}`]));
      assert.deepEqual([provider.requests, provider.isEnded], [round, false]);
      for (const { text } of replicas) assert.equal(text, provider.refreshToken);
    }
  });

  test('one that was away for long goes on with the newest token, also without a file', async () => {
    const [store, provider] = [new MemoryStore(), new Provider()];
    const [busy, away] = [new Replica(store), new Replica(store)];
    for (let round = 0; round < 50; round++) await busy.obtain(provider);
    assert.equal(away.text, 'refresh-token-0');
    away.nowMs += LIFETIME_MS;
    assert.equal(await away.obtain(provider), 'access-token-51');
    assert.equal(away.text, 'refresh-token-51');
    const fresh = new Replica(store, '');
    fresh.nowMs = away.nowMs;
    assert.equal(await fresh.obtain(provider), 'access-token-51');
    assert.equal(fresh.text, 'refresh-token-51');
    assert.equal(provider.isEnded, false);
  });

  test('a token that the operator signed in with anew wins over what the store has', async () => {
    const [store, provider] = [new MemoryStore(), new Provider()];
    const [one, two] = [new Replica(store), new Replica(store)];
    await one.obtain(provider);
    provider.refreshToken = 'refresh-token-of-another-sign-in';
    writeFileSync(two.path, provider.refreshToken);
    assert.equal(await two.obtain(provider), 'access-token-2');
    assert.equal(await one.obtain(provider), 'access-token-2');
    assert.deepEqual([one.text, provider.isEnded], ['refresh-token-2', false]);
  });

  test('a token that is due for renewal is not taken over', async () => {
    const [store, provider] = [new MemoryStore(), new Provider()];
    const [one, two] = [new Replica(store), new Replica(store)];
    await one.obtain(provider);
    two.nowMs += LIFETIME_MS * 0.8;
    assert.equal(await two.obtain(provider), 'access-token-2');
  });

  test('a holder that fails leaves the lease to the next', async () => {
    const [store, provider] = [new MemoryStore(), new Provider()];
    const [one, two] = [new Replica(store), new Replica(store)];
    const broken = { spend: () => assert.fail('the provider is down') } as unknown as Provider;
    await assert.rejects(one.obtain(broken), /the provider is down/);
    assert.equal(await two.obtain(provider), 'access-token-1');
  });

  test('what the store holds is sealed', async () => {
    const [store, provider] = [new MemoryStore(), new Provider()];
    const records: object[] = [];
    const replace: Store['replace'] = (table, key, current, next, lifetime) => {
      records.push({ table, key, next });
      return MemoryStore.prototype.replace.call(store, table, key, current, next, lifetime);
    };
    await new Replica(Object.assign(store, { replace })).obtain(provider);
    const text = JSON.stringify(records);
    assert.ok(records.length >= 3);
    assert.doesNotMatch(text, /access-token|refresh-token|ann|calendar/);
  });
});

describe('while the store is out of reach', () => {
  const OUT = new StoreUnavailable('down');

  test('nothing is spent, and the refusal is 503', async () => {
    const provider = new Provider();
    const down = Object.assign(new MemoryStore(), { get: () => Promise.reject(OUT) });
    await assert.rejects(new Replica(down).obtain(provider), (error: CredentialError) => {
      assert.deepEqual([error.code, error.refusalStatus], ['store_unavailable', 503]);
      return true;
    });
    assert.equal(provider.requests, 0);
  });

  test('since the question was sent, the new token is used, and nobody spends the old one', async () => {
    const [memory, provider] = [new MemoryStore(), new Provider()];
    let isDown = false;
    const store = Object.assign(Object.create(memory) as Store, {
      get: (table: string, key: string) => memory.get(table, key),
      deleteIf: (...args: Parameters<Store['deleteIf']>) => memory.deleteIf(...args),
      replace: (...args: Parameters<Store['replace']>) =>
        isDown ? Promise.reject(OUT) : memory.replace(...args),
    });
    const [one, two] = [new Replica(store), new Replica(store)];
    const token = await one.obtain(provider, async () => {
      isDown = true;
    });
    assert.equal(token, 'access-token-1');
    isDown = false;
    // Waits for the lease until the holder has stored what it was given.
    assert.notEqual(await two.obtain(provider), undefined);
    assert.deepEqual([provider.isEnded, two.text], [false, provider.refreshToken]);
  });
});
