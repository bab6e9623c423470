/**
 * Reads and validates the configuration file. Reports all problems at once and activates nothing, so
 * a broken file never affects a running server.
 */
import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import type { ExecValues } from '../../core/config/exec-values.ts';
import { Problems } from '../../core/config/problems.ts';
import { readFailure, unexpandedAdvice, type ValueSources } from '../../core/config/value.ts';
import { parseYaml, type YamlNode } from '../../core/config/yaml-node.ts';
import { shellWord } from '../../core/shell-word.ts';
import type { Config, User } from './config.ts';
import { misspeltVariables } from './environment.ts';
import { readServer } from './read-server.ts';
import { readUser } from './read-user.ts';

const MAKE_IN_ITS_PLACE = 'remove it and make one with: gateway init <path>';
const MAX_CONFIG_BYTES = 4 * 1024 * 1024;

interface ConfigReading {
  /** Present if there are no problems. */
  readonly config?: Config;
  readonly problems: Problems;
  /** Identifies the version of the file, so that a broken version is reported once. */
  readonly digest: string;
}

export function readConfig(path: string, sources: ValueSources): ConfigReading {
  return parseFile(path, readText(path), sources);
}

/** The same, with the values of programs: they run after a first parse, and the text is parsed again. */
export async function readConfigRunning(
  path: string,
  env: ValueSources['env'],
  exec: ExecValues,
  runsEverything = true,
): Promise<ConfigReading> {
  const text = readText(path);
  exec.begin(runsEverything);
  const reading = parseFile(path, text, { env, exec });
  return (await exec.run()) ? parseFile(path, text, { env, exec }) : reading;
}

function parseFile(path: string, text: TextRead, sources: ValueSources): ConfigReading {
  const problems = new Problems();
  if ('problem' in text) {
    problems.add({ file: path, message: text.problem });
    return { problems, digest: text.problem };
  }
  for (const warning of misspeltVariables(sources.env, text.text)) problems.warn(warning);
  return parseConfig(text.text, path, sources, problems);
}

export function parseConfig(
  text: string,
  path: string,
  sources: ValueSources,
  problems = new Problems(),
): ConfigReading {
  const digest = createHash('sha256').update(text).digest('hex');
  const root = parseYaml(text, path, problems);
  const config = root && readRoot(root, sources);
  return problems.errors.length === 0 && config
    ? { config, problems, digest }
    : { problems, digest };
}

type TextRead = { readonly text: string } | { readonly problem: string };

function readText(path: string): TextRead {
  const unreadable = (reason: string): TextRead => {
    return { problem: `the configuration cannot be read: ${reason}` };
  };
  try {
    const stat = statSync(path);
    if (stat.isDirectory()) return unreadable('it is a directory; name the file in it');
    if (!stat.isFile()) return unreadable('it is not a regular file');
    if (stat.size > MAX_CONFIG_BYTES) return unreadable('it is larger than 4 MiB');
    const bytes = readFileSync(path);
    if (!isUtf8(bytes)) return unreadable('it is not UTF-8 text');
    const text = bytes.toString('utf8');
    return text.trim() === '' ? unreadable(`it is empty; ${MAKE_IN_ITS_PLACE}`) : { text };
  } catch (error) {
    const missing = (error as { code?: unknown }).code === 'ENOENT';
    return unreadable(
      readFailure(error) + (missing ? unexpandedAdvice(path) || makeOne(path) : ''),
    );
  }
}

function makeOne(path: string): string {
  const command = `gateway init ${shellWord(path)}`;
  return `; make one with: ${command}, or set GATEWAY_CONFIG to where it is`;
}

function readRoot(root: YamlNode, sources: ValueSources): Config | undefined {
  if (root.isNull) return root.problem(`the file holds no value; ${MAKE_IN_ITS_PLACE}`);
  const fields = root.fields(['server', 'users']);
  if (!fields) return undefined;
  const { server: serverNode, users: usersNode } = fields;
  const server = readServer(serverNode, root, sources);
  const users = new Map<string, User>();
  if (!usersNode || usersNode.isNull) {
    (usersNode ?? root).warn('there are no users, so nobody can sign in');
  } else {
    const items = usersNode.items();
    if (items.length === 0 && usersNode.isList)
      usersNode.warn('there are no users, so nobody can sign in');
    const names = new Set<string>();
    const digests = new Set<string>();
    for (const item of items) {
      const user = readUser(item, server, sources, names, digests);
      if (user) users.set(user.name, user);
    }
  }
  return server.complete ? { server: server.complete, users } : undefined;
}
