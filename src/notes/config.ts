/**
 * The configuration of the notes server, from its environment variables: everything resolved,
 * parsed and validated, or every problem at once.
 */
import { resolve } from 'node:path';
import { LIFETIME_FORM, parseLifetime } from '../core/config/duration.ts';
import { type Environment, EnvironmentReader, type Listen } from '../core/config/environment.ts';
import type { MountedDecoys } from '../core/config/persona-choice.ts';
import { type Problem, quoteUrl } from '../core/config/problems.ts';
import {
  ORIGIN_FORM,
  originOf,
  PUBLIC_URL_FORM,
  publicUrlOf,
  publicUrlWarning,
} from '../core/http/http-url.ts';
import { parseRate, RATE_FORM, type Rate } from '../core/limits/rate.ts';
import type { Level } from '../core/log/log.ts';
import type { Cidr } from '../core/net/address.ts';
import { ON_TRIPWIRE, type OnTripwire } from '../core/recent-calls/tripwires.ts';
import { readSharedSettings } from '../core/redis/shared-settings.ts';
import type { StoreAddress } from '../core/redis/store-address.ts';
import type { Password } from '../core/secrets/password.ts';
import type { Secret } from '../core/secrets/secret.ts';
import { type Access, readAccess } from './config-access.ts';
import { readEmbeddings } from './config-embeddings.ts';
import { readGit } from './config-git.ts';
import { readDecoys, readMetrics, readPassword, readTotp } from './config-keys.ts';
import type { EmbeddingSettings } from './embeddings/model/embedding-settings.ts';
import { isVaultName } from './vaults/data-folders.ts';
import type { GitSettings } from './vaults/vault.ts';

export interface NotesConfig {
  readonly listen: Listen;
  /** Without a path and without a trailing slash. */
  readonly publicUrl: string;
  /** Absolute. */
  readonly data: string;
  readonly defaultVault: string;
  /** Whether the default vault is configured; otherwise another vault may replace it. */
  readonly isDefaultChosen: boolean;
  /** A copy of the log, for the alerts of the decoys. */
  readonly logFile?: string;
  readonly username: string;
  readonly password: Password;
  /** The second factor, in base32. */
  readonly totp?: Secret;
  readonly access: Access;
  /** Whether the delivery of a canary note ends the sign-in that received it. */
  readonly onTripwire: OnTripwire;
  /** Whether the user may sign in at `/console`. */
  readonly console: boolean;
  readonly git?: GitSettings;
  readonly metrics?: { readonly key: Secret; readonly listen?: Listen };
  /** The master keys of the honeytokens; when set, decoys answer before the 404. */
  readonly decoys?: MountedDecoys;
  /** Search by meaning, which is off without them. */
  readonly embeddings?: EmbeddingSettings;
  readonly tokenTtlMs: number;
  readonly codeTtlMs: number;
  readonly loginRateLimit: Rate;
  /** Peers whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies: readonly Cidr[];
  /** Browser origins, besides our own and loopback, that may call `/mcp`. */
  readonly allowedOrigins: readonly string[];
  /** Where sign-ins survive a restart; without it they are in memory. */
  readonly store?: StoreAddress;
  readonly sealKey?: Secret;
  readonly level: Level;
  /** Redacted from every log line. */
  readonly secrets: readonly Secret[];
}

export interface NotesReading {
  /** Present when there was no problem. */
  readonly config?: NotesConfig;
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
}

const DEFAULT_DATA = '/data';
const USERNAME_FORM = 'a login name of 1 to 128 characters, without control characters';
const VAULT_FORM = 'a vault name: 1 to 64 of a-z, 0-9, _ and -, the first a letter or digit';

export function readNotesConfig(env: Environment): NotesReading {
  const reader = new EnvironmentReader(env);
  const urlForm = `${PUBLIC_URL_FORM} "https://notes.example.com"`;
  const required = {
    publicUrl: reader.parsed('NOTES_PUBLIC_URL', undefined, publicUrlOf, urlForm),
    username: reader.parsed('NOTES_USERNAME', undefined, usernameOf, USERNAME_FORM),
    password: readPassword(reader),
    listen: reader.listen('NOTES_LISTEN', ':2020'),
    defaultVault: reader.parsed('NOTES_DEFAULT_VAULT', 'default', vaultOf, VAULT_FORM),
    tokenTtlMs: reader.parsed('NOTES_TOKEN_TTL', '12h', parseLifetime, LIFETIME_FORM),
    codeTtlMs: reader.parsed('NOTES_CODE_TTL', '60s', parseLifetime, LIFETIME_FORM),
    loginRateLimit: reader.parsed('NOTES_LOGIN_RATE_LIMIT', '10/m', parseRate, RATE_FORM),
    level: reader.level('NOTES_LOG_LEVEL'),
  };
  const unencrypted = required.publicUrl && publicUrlWarning(required.publicUrl);
  if (unencrypted) reader.warn('NOTES_PUBLIC_URL', unencrypted);
  const access = readAccess(reader);
  const git = readGit(reader);
  const totp = readTotp(reader);
  const metrics = readMetrics(reader, required.listen);
  const decoys = readDecoys(reader);
  const embeddings = readEmbeddings(reader);
  const texts = {
    store: reader.hidden('NOTES_STORE')?.text,
    sealKey: reader.hidden('NOTES_SEAL_KEY')?.text,
  };
  const shared = readSharedSettings(texts, (of, message) =>
    reader.problem(of === 'store' ? 'NOTES_STORE' : 'NOTES_SEAL_KEY', message),
  );
  const logFile = reader.text('NOTES_LOG_FILE');
  const rest = {
    ...shared,
    data: dataDirectory(env),
    access,
    onTripwire: reader.parsed('NOTES_ON_TRIPWIRE', 'log', onTripwireOf, 'log or freeze') ?? 'log',
    console: reader.boolean('NOTES_CONSOLE', 'true'),
    isDefaultChosen: reader.text('NOTES_DEFAULT_VAULT') !== undefined,
    trustedProxies: reader.proxies('NOTES_TRUSTED_PROXIES'),
    allowedOrigins: readOrigins(reader),
    ...(logFile !== undefined && { logFile }),
    ...(totp && { totp }),
    ...(git && { git }),
    ...(metrics && { metrics }),
    ...(decoys && { decoys }),
    ...(embeddings && { embeddings }),
  };
  reader.text('NOTES_DATA');
  reader.warnOfUnknown('NOTES_');
  const { problems, warnings } = reader;
  if (problems.length > 0 || !isComplete(required)) return { problems, warnings };
  const { password, ...others } = required;
  const secrets = [
    ...[password.hidden, totp, git?.token, metrics?.key, shared.sealKey, shared.store?.password],
    ...(decoys ? [decoys.key, ...decoys.oldKeys] : []),
    embeddings?.kind === 'remote' ? embeddings.key : undefined,
  ].filter((secret) => secret !== undefined);
  const config = { ...others, ...rest, password: password.password, secrets };
  return { config, problems, warnings };
}

/** For commands that need no complete configuration. */
export function dataDirectory(env: Environment): string {
  return resolve(env.NOTES_DATA || DEFAULT_DATA);
}

type Complete<T> = { [Key in keyof T]: Exclude<T[Key], undefined> };

function isComplete<T extends object>(values: T): values is T & Complete<T> {
  return Object.values(values).every((value) => value !== undefined);
}

function onTripwireOf(text: string): OnTripwire | undefined {
  return ON_TRIPWIRE.find((known) => known === text);
}

function usernameOf(text: string): string | undefined {
  const isPlain = !/[\0-\x1f\x7f-\x9f]/.test(text) && text.trim() === text;
  return isPlain && [...text].length <= 128 ? text : undefined;
}

function vaultOf(text: string): string | undefined {
  return isVaultName(text) ? text : undefined;
}

function readOrigins(reader: EnvironmentReader): string[] {
  const name = 'NOTES_ALLOWED_ORIGINS';
  return reader.list(name).flatMap((text) => {
    const origin = originOf(text);
    if (origin !== undefined) return [origin];
    return reader.problem(name, `${quoteUrl(text)} is not ${ORIGIN_FORM}`) ?? [];
  });
}
