/**
 * Settings from environment variables. Collects all problems, so that they are shown together. An empty
 * variable counts as unset. A problem quotes the value, but never a secret.
 */
import { LEVELS, type Level } from '../log/log.ts';
import type { Cidr } from '../net/address.ts';
import { MIN_KEY_LENGTH, Secret } from '../secrets/secret.ts';
import { type ListenAddress, parseListen } from './listen.ts';
import { type Problem, quoteUrl, suggestion } from './problems.ts';
import { readTrustedProxy } from './trusted-proxies.ts';
import { type Resolved, resolveValue } from './value.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Listen extends ListenAddress {
  /** As it was written. */
  readonly text: string;
}

/** Variables that Kubernetes sets for a service of the same name. */
const OF_THE_CLUSTER = /^[A-Z]+_(SERVICE_|PORT(_|$))/;

/** A reference can be in a list of values, whatever the value contains. */
const REFERENCE = /^(?:file|env):/;

export class EnvironmentReader {
  readonly problems: Problem[] = [];
  readonly warnings: Problem[] = [];
  readonly #env: Environment;
  readonly #known = new Set<string>();

  constructor(env: Environment) {
    this.#env = env;
  }

  problem(name: string, message: string): undefined {
    this.problems.push({ file: 'environment', key: name, message });
  }

  warn(name: string, message: string): void {
    this.warnings.push({ file: 'environment', key: name, message });
  }

  text(name: string): string | undefined {
    this.#known.add(name);
    return this.#env[name] || undefined;
  }

  /** The value, the default where there is none, and undefined for what is no such value. */
  parsed<T>(
    name: string,
    fallback: string | undefined,
    parse: (text: string) => T | undefined,
    form: string,
  ): T | undefined {
    const text = this.text(name) ?? fallback;
    if (text === undefined) return this.problem(name, `is missing; set it to ${form}`);
    return parse(text) ?? this.problem(name, `${quoteUrl(text)} is not ${form}`);
  }

  listen(name: string, fallback: string): Listen | undefined {
    return this.parsed(name, fallback, listenOf, ':port, host:port or [v6]:port');
  }

  level(name: string): Level | undefined {
    return this.parsed(name, 'info', levelOf, `one of ${LEVELS.join(', ')}`);
  }

  boolean(name: string, fallback: 'true' | 'false' = 'false'): boolean {
    return this.parsed(name, fallback, booleanOf, 'true or false') ?? false;
  }

  list(name: string): string[] {
    return (this.text(name) ?? '').split(',').flatMap((item) => item.trim() || []);
  }

  /** A secret, with its reference resolved; undefined where it is not set. */
  hidden(name: string, options: { readonly allowHash?: boolean } = {}): Visible | undefined {
    const raw = this.text(name);
    return raw === undefined ? undefined : this.#resolved(name, raw, options.allowHash ?? false);
  }

  hiddenList(name: string): string[] {
    return this.list(name).flatMap((raw) => this.#resolved(name, raw, false)?.text ?? []);
  }

  /** A key and, for rotation, the keys that it replaced. */
  rotatedKey(
    name: string,
    oldName: string,
  ): { readonly key: Secret | undefined; readonly oldKeys: readonly Secret[] } {
    const key = this.hidden(name)?.text;
    const oldKeys = this.hiddenList(oldName);
    const tooShort = `must have at least ${MIN_KEY_LENGTH} characters`;
    if (key !== undefined && key.length < MIN_KEY_LENGTH) this.problem(name, tooShort);
    if (oldKeys.some((old) => old.length < MIN_KEY_LENGTH)) this.problem(oldName, tooShort);
    if (key?.includes(',') && !REFERENCE.test(this.text(name)!)) {
      this.problem(
        name,
        `has a comma, so it cannot be listed in ${oldName} later; use another, or file: with its path`,
      );
    }
    return {
      key: key === undefined ? undefined : new Secret(name, key),
      oldKeys: oldKeys.map((old) => new Secret(oldName, old)),
    };
  }

  /** Proxies that are trusted to name the client's address. */
  proxies(name: string): Cidr[] {
    return this.list(name).flatMap((text) => {
      const proxy = readTrustedProxy(text);
      return typeof proxy === 'string' ? (this.problem(name, proxy) ?? []) : proxy;
    });
  }

  warnOfUnknown(prefix: string): void {
    this.warnings.push(...unknownVariables(this.#env, prefix, this.#known));
  }

  #resolved(name: string, raw: string, allowHash: boolean): Visible | undefined {
    if (raw.startsWith('env:')) this.#known.add(raw.slice('env:'.length));
    const value = resolveValue(raw, { env: this.#env }, allowHash);
    if (value.kind === 'problem') return this.problem(name, value.message);
    return value.kind === 'skipped' ? undefined : value;
  }
}

/** A warning for each variable with our prefix that is not known. */
export function unknownVariables(
  env: Environment,
  prefix: string,
  known: ReadonlySet<string>,
): Problem[] {
  return Object.keys(env)
    .filter((name) => name.startsWith(prefix) && !known.has(name) && !OF_THE_CLUSTER.test(name))
    .map((name) => {
      const message = `is not known here and does nothing${suggestion(name, known)}`;
      return { file: 'environment', key: name, message };
    });
}

type Visible = Extract<Resolved, { readonly text: string }>;

export function listenOf(text: string): Listen | undefined {
  const listen = parseListen(text);
  return listen && { ...listen, text };
}

export function isLevel(text: string): text is Level {
  return (LEVELS as readonly string[]).includes(text);
}

function levelOf(text: string): Level | undefined {
  return isLevel(text) ? text : undefined;
}

function booleanOf(text: string): boolean | undefined {
  return text === 'true' ? true : text === 'false' ? false : undefined;
}
