/**
 * From the file to a configuration, or to every problem it has. Reading has no side effect:
 * nothing is activated here, so a broken file never disturbs a running server.
 */
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { describeError } from '../../core/log.ts';
import { Problems } from '../../core/problems.ts';
import type { ValueSources } from '../../core/value.ts';
import { parseYaml, type YamlNode } from '../../core/yaml-node.ts';
import type { Config, User } from './config.ts';
import { readServer } from './read-server.ts';
import { readUser } from './read-user.ts';

const MAX_CONFIG_BYTES = 4 * 1024 * 1024;

export interface ConfigReading {
  /** Present when there was no problem. */
  readonly config?: Config;
  readonly problems: Problems;
  /** Names the version of the file, so that one bad version is reported once. */
  readonly digest: string;
}

export function readConfig(path: string, sources: ValueSources): ConfigReading {
  const problems = new Problems();
  const text = readText(path, problems);
  if (text === undefined) return { problems, digest: problems.errors[0]?.message ?? '' };
  const digest = createHash('sha256').update(text).digest('hex');
  const root = parseYaml(text, path, problems);
  const config = root && readRoot(root, sources);
  return problems.errors.length === 0 && config
    ? { config, problems, digest }
    : { problems, digest };
}

function readText(path: string, problems: Problems): string | undefined {
  try {
    const stat = statSync(path);
    if (stat.isDirectory()) throw new Error('it is a directory; name the file in it');
    if (stat.size > MAX_CONFIG_BYTES) throw new Error('it is larger than 4 MiB');
    const bytes = readFileSync(path);
    const text = bytes.toString('utf8');
    if (!Buffer.from(text).equals(bytes)) throw new Error('it is not UTF-8 text');
    if (text.trim() === '') throw new Error('it is empty; see examples/gateway.yaml');
    return text;
  } catch (error) {
    problems.add({ file: path, message: `the configuration cannot be read: ${explain(error)}` });
    return undefined;
  }
}

function explain(error: unknown): string {
  switch ((error as { code?: unknown }).code) {
    case 'ENOENT':
      return 'there is no such file; set GATEWAY_CONFIG to where it is';
    case 'EACCES':
      return 'permission denied; make it readable to the user that runs the gateway';
    default:
      return describeError(error);
  }
}

function readRoot(root: YamlNode, sources: ValueSources): Config | undefined {
  if (root.isNull) return root.problem('the file holds no value; see examples/gateway.yaml');
  const { server: serverNode, users: usersNode } = root.fields(['server', 'users']);
  const server = readServer(serverNode, root, sources);
  const users = new Map<string, User>();
  if (!usersNode || usersNode.isNull) {
    (usersNode ?? root).warn('there are no users, so nobody can sign in');
  } else {
    const items = usersNode.items();
    if (items.length === 0) usersNode.warn('there are no users, so nobody can sign in');
    for (const item of items) {
      const user = readUser(item, server, sources);
      if (!user) continue;
      if (users.has(user.name))
        item.problem(`the user "${user.name}" stands twice; names are unique`);
      users.set(user.name, user);
    }
  }
  return server.complete ? { server: server.complete, users } : undefined;
}
