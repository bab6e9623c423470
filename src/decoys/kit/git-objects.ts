/**
 * The files of a small repository, as `.git/` holds them: loose objects, references, the index and the
 * log. `git clone` reads the same over plain HTTP.
 */
import { hash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import type { Persona } from '../persona/persona.ts';

export interface GitFile {
  /** One character for each byte. */
  readonly body: string;
  readonly honeytokens: number;
}

/** By their path in lower case, without `.git/`. */
export type GitFiles = ReadonlyMap<string, GitFile>;

interface RepositoryContent {
  readonly persona: Persona;
  readonly token: string;
  readonly password: string;
  /** The time of the first commit, since 1970. */
  readonly firstSeconds: number;
}

type Entry = readonly [mode: string, name: string, id: string];

export function gitFiles({ persona, token, password, firstSeconds }: RepositoryContent): GitFiles {
  const files = new Map<string, GitFile>();
  const text = (path: string, body: string, honeytokens = 0) =>
    files.set(path, { body, honeytokens });
  const object = (kind: string, content: Buffer, honeytokens = 0): string => {
    const whole = Buffer.concat([Buffer.from(`${kind} ${content.length}\0`), content]);
    const id = hash('sha1', whole);
    const body = deflateSync(whole).toString('latin1');
    files.set(`objects/${id.slice(0, 2)}/${id.slice(2)}`, { body, honeytokens });
    return id;
  };
  const blob = (content: string, honeytokens = 0) =>
    object('blob', Buffer.from(content), honeytokens);
  const { company, title, domain, database, developer } = persona;

  const readme = blob(`# ${title} core\n\nOrders and billing. Run \`npm test\` before a merge.\n`);
  const server = blob(
    `import { createServer } from 'node:http';\nimport { load } from './settings.js';\n\nconst settings = load();\ncreateServer(settings.app).listen(settings.port);\n`,
  );
  const settings = blob(
    `DATABASE_URL=postgresql://${database.user}:${password}@${database.host}:5432/${database.name}\nAPI_TOKEN=${token}\n`,
    2,
  );
  const ignore = blob('node_modules/\n.env\n');
  const source = object('tree', treeOf([['100644', 'server.js', server]]));
  const before = object(
    'tree',
    treeOf([
      ['100644', '.env', settings],
      ['100644', 'README.md', readme],
      ['40000', 'src', source],
    ]),
  );
  const entries: readonly Entry[] = [
    ['100644', '.gitignore', ignore],
    ['100644', 'README.md', readme],
    ['40000', 'src', source],
  ];
  const after = object('tree', treeOf(entries));
  const who = `${developer.name} <${developer.email}>`;
  const commit = (tree: string, parent: string | undefined, seconds: number, message: string) => {
    const lines = [
      `tree ${tree}`,
      ...(parent === undefined ? [] : [`parent ${parent}`]),
      `author ${who} ${seconds} +0000`,
      `committer ${who} ${seconds} +0000`,
      '',
      `${message}\n`,
    ];
    return object('commit', Buffer.from(lines.join('\n')));
  };
  const first = commit(before, undefined, firstSeconds, 'Import core');
  const second = commit(after, first, firstSeconds + 86_912, 'Remove .env from the repository');

  const remote = `https://${developer.user}:${token}@git.${domain}/${company}/core.git`;
  text('head', 'ref: refs/heads/main\n');
  text(
    'config',
    `[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n[remote "origin"]\n\turl = ${remote}\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n[branch "main"]\n\tremote = origin\n\tmerge = refs/heads/main\n[user]\n\tname = ${developer.name}\n\temail = ${developer.email}\n`,
    1,
  );
  text('description', "Unnamed repository; edit this file 'description' to name the repository.\n");
  text('refs/heads/main', `${second}\n`);
  text('refs/remotes/origin/head', 'ref: refs/remotes/origin/main\n');
  text('refs/remotes/origin/main', `${second}\n`);
  text(
    'packed-refs',
    `# pack-refs with: peeled fully-peeled sorted \n${second} refs/remotes/origin/main\n`,
  );
  text('info/refs', `${second}\trefs/heads/main\n${second}\trefs/remotes/origin/main\n`);
  text('info/exclude', '# git ls-files --others --exclude-from=.git/info/exclude\n');
  text('objects/info/packs', '\n');
  text('commit_editmsg', 'Remove .env from the repository\n');
  text('orig_head', `${first}\n`);
  text('fetch_head', `${second}\t\tbranch 'main' of https://git.${domain}/${company}/core\n`);
  const nobody = '0'.repeat(40);
  const log = `${nobody} ${first} ${who} ${firstSeconds} +0000\tcommit (initial): Import core\n${first} ${second} ${who} ${firstSeconds + 86_912} +0000\tcommit: Remove .env from the repository\n`;
  text('logs/head', log);
  text('logs/refs/heads/main', log);
  const paths: readonly Entry[] = [
    ['100644', '.gitignore', ignore],
    ['100644', 'README.md', readme],
    ['100644', 'src/server.js', server],
  ];
  files.set('index', { body: indexOf(paths).toString('latin1'), honeytokens: 0 });
  return files;
}

/** The entries must be in order. */
function treeOf(entries: readonly Entry[]): Buffer {
  return Buffer.concat(
    entries.flatMap(([mode, name, id]) => [
      Buffer.from(`${mode} ${name}\0`),
      Buffer.from(id, 'hex'),
    ]),
  );
}

/** Version 2, without what a file system would add. */
function indexOf(entries: readonly Entry[]): Buffer {
  const head = Buffer.alloc(12);
  head.write('DIRC');
  head.writeUInt32BE(2, 4);
  head.writeUInt32BE(entries.length, 8);
  const rows = entries.map(([, path, id]) => {
    const row = Buffer.alloc(Math.ceil((62 + path.length + 1) / 8) * 8);
    row.writeUInt32BE(0o100644, 24);
    Buffer.from(id, 'hex').copy(row, 40);
    row.writeUInt16BE(path.length, 60);
    row.write(path, 62);
    return row;
  });
  const content = Buffer.concat([head, ...rows]);
  return Buffer.concat([content, Buffer.from(hash('sha1', content), 'hex')]);
}
