/**
 * The value prefixes of document 1: where a secret or a password really comes from.
 * References are resolved once, at load. A message never quotes the value itself; the name
 * of a variable or the path of a file is no secret and is quoted.
 */
import { readFileSync, statSync } from 'node:fs';
import { describeError } from './log.ts';

const MAX_FILE_BYTES = 1024 * 1024;
const PREFIX = /^(env|file|bcrypt|literal):/;

export interface ValueSources {
  readonly env: Readonly<Record<string, string | undefined>>;
}

export type Resolved =
  | { readonly kind: 'plain'; readonly text: string }
  /** Only where hashes are allowed: the text after `bcrypt:`. */
  | { readonly kind: 'bcrypt'; readonly text: string }
  | { readonly kind: 'problem'; readonly message: string };

/** Resolves a value. `allowHash` is true for passwords alone. */
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
    case 'env': {
      const found = sources.env[rest];
      if (!found)
        return problem(`the environment variable ${rest || '(no name)'} is not set or empty`);
      return fromReference(found, allowHash);
    }
    default:
      return fromFile(rest, allowHash);
  }
}

/** What a reference yields is literal, save a password's hash: nothing else nests. */
function fromReference(text: string, allowHash: boolean): Resolved {
  if (allowHash && text.startsWith('bcrypt:')) return hashOrProblem(text.slice(7), allowHash);
  return plain(text);
}

function fromFile(path: string, allowHash: boolean): Resolved {
  let text: string;
  try {
    const stat = statSync(path);
    if (!stat.isFile()) return problem(`the file ${path} is not a regular file`);
    if (stat.size > MAX_FILE_BYTES) return problem(`the file ${path} is larger than 1 MiB`);
    const bytes = readFileSync(path);
    text = bytes.toString('utf8');
    if (!Buffer.from(text).equals(bytes)) return problem(`the file ${path} is not UTF-8 text`);
  } catch (error) {
    return problem(`the file ${path || '(no path)'} cannot be read: ${describeError(error)}`);
  }
  const trimmed = text.replace(/\r?\n$/, '');
  if (trimmed === '') return problem(`the file ${path} is empty`);
  return fromReference(trimmed, allowHash);
}

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
