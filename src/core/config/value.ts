/**
 * The value prefixes of docs/gateway.md: where a secret or a password comes from. References are
 * resolved when the configuration is loaded. A message never quotes the value; it quotes only what is
 * certainly the name of a variable or the path of a file.
 */
import { isUtf8 } from 'node:buffer';
import { readFileSync, statSync } from 'node:fs';
import { quote } from './problems.ts';

const MAX_FILE_BYTES = 1024 * 1024;
const PREFIX = /^(env|file|bcrypt|literal|exec):/;

export interface ValueSources {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absent where no program may be run. */
  readonly exec?: ValuePrograms;
}

/** Runs the programs of `exec:`. */
export interface ValuePrograms {
  allowEnvironment(names: readonly string[]): void;
  resolve(command: string): Resolved;
}

export type Resolved =
  | { readonly kind: 'plain'; readonly text: string }
  /** Only where hashes are allowed: the text after `bcrypt:`. */
  | { readonly kind: 'bcrypt'; readonly text: string }
  /** Its program has not run. */
  | { readonly kind: 'skipped' }
  | { readonly kind: 'problem'; readonly message: string };

/** Resolves a value. `allowHash` is true for passwords only. */
export function resolveValue(raw: string, sources: ValueSources, allowHash: boolean): Resolved {
  const prefix = PREFIX.exec(raw)?.[1];
  const rest = prefix ? raw.slice(prefix.length + 1) : raw;
  switch (prefix) {
    case undefined:
      return plain(raw);
    case 'literal':
      return plain(rest);
    case 'bcrypt':
      return hashOrProblem(rest, allowHash);
    case 'exec':
      return fromProgram(rest, sources, allowHash);
    case 'env':
      return fromEnvironment(rest, sources, allowHash);
    default:
      return fromFile(rest, allowHash);
  }
}

/** The value behind a reference is literal, except that a password may be a hash. */
function fromReference(text: string, allowHash: boolean): Resolved {
  if (allowHash && text.startsWith('bcrypt:')) return hashOrProblem(text.slice(7), allowHash);
  return plain(text);
}

function fromProgram(command: string, { exec }: ValueSources, allowHash: boolean): Resolved {
  if (!exec) return problem('no program is run here; use env: or file:');
  const resolved = exec.resolve(command);
  return resolved.kind === 'plain' ? fromReference(resolved.text, allowHash) : resolved;
}

function fromEnvironment(name: string, { env }: ValueSources, allowHash: boolean): Resolved {
  const found = Object.hasOwn(env, name) ? env[name] : undefined;
  if (found) return fromReference(found, allowHash);
  if (/^[A-Za-z_]\w*$/.test(name)) {
    return problem(`the environment variable ${name} is not set or empty`);
  }
  // Not quoted: it may be the value itself, written in place of the name.
  return problem(
    'env: must be followed by the name of an environment variable; write literal:env:… for a value that begins so',
  );
}

function fromFile(path: string, allowHash: boolean): Resolved {
  if (path === '') return problem('file: must be followed by the path of a file');
  // Without a slash, it may be the value itself, written in place of the path.
  const file = path.includes('/') ? `the file ${quote(path)}` : 'the file';
  let bytes: Buffer;
  try {
    const stat = statSync(path);
    if (!stat.isFile()) return problem(`${file} is not a regular file`);
    if (stat.size > MAX_FILE_BYTES) return problem(`${file} is larger than 1 MiB`);
    bytes = readFileSync(path);
  } catch (error) {
    const advice = isMissing(error) ? unexpandedAdvice(path) : '';
    return problem(`${file} cannot be read: ${readFailure(error)}${advice}`);
  }
  if (!isUtf8(bytes)) return problem(`${file} is not UTF-8 text`);
  const text = withoutBom(bytes.toString('utf8')).replace(/\r?\n$/, '');
  return text === '' ? problem(`${file} is empty`) : fromReference(text, allowHash);
}

/** Some editors write a byte order mark. */
export function withoutBom(text: string): string {
  return text.replace(/^\ufeff/, '');
}

/** Advice for a path with `~` or a variable, which only a shell would expand; empty otherwise. */
export function unexpandedAdvice(path: string): string {
  if (/^~/.test(path)) return '; ~ is not expanded here, write the full path';
  return /^\$|%\w+%/.test(path) ? '; variables are not expanded here, write the full path' : '';
}

function isMissing(error: unknown): boolean {
  return (error as { code?: unknown }).code === 'ENOENT';
}

/** Why a file cannot be read; the messages of the system would repeat the path. */
export function readFailure(error: unknown): string {
  const code = String((error as { code?: unknown }).code);
  return READ_FAILURES[code] ?? `the system says ${code}`;
}

const READ_FAILURES: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'permission denied; make it readable to the user that runs this program',
  EISDIR: 'it is a directory; name a file',
};

function hashOrProblem(text: string, allowHash: boolean): Resolved {
  if (allowHash) return { kind: 'bcrypt', text };
  return problem('a bcrypt hash cannot serve as a secret; only passwords may be hashed');
}

function plain(text: string): Resolved {
  return text === '' ? problem('the value is empty') : { kind: 'plain', text };
}

function problem(message: string): Resolved {
  return { kind: 'problem', message };
}
