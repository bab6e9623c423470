/**
 * Skills: the folders `.notes/skills/<name>/` of a vault, each with a `SKILL.md` that says how a
 * piece of work is done there. Their owner writes them as files; no tool shows or changes them.
 * Clients that know skills list them and read their files, at `skill://<vault>/<name>/<file>`.
 *
 * A folder that is no valid skill is left out, and the log says why. The size and the number of the
 * files of a skill are limited, as are the skills of a vault.
 */
import { hash } from 'node:crypto';
import type { Caller } from '../core/http/caller.ts';
import type { Log } from '../core/log/log.ts';
import { INVALID_PARAMS, RpcError } from '../mcp/jsonrpc.ts';
import type { Resource, Skill, SkillProvider } from '../mcp/provider.ts';
import { StorageError } from './files/storage-error.ts';
import { readStoredFile, type StoredFile } from './files/stored-file.ts';
import { pathProblem } from './files/vault-path.ts';
import { type ListedFile, listFiles } from './files/walk.ts';
import { readPlace, writePlace } from './index/query/cursor.ts';
import { frontmatterRange } from './markdown/frontmatter.ts';
import { readYaml } from './markdown/yaml-text.ts';
import type { OpenVaults } from './vaults/open-vaults.ts';

const FOLDER = '.notes/skills';
const MANIFEST = 'SKILL.md';
const SCHEME = 'skill://';
/** The rule of the Agent Skills specification. */
const NAME = /^(?!.*--)[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/;
const MAX_SKILLS_PER_VAULT = 64;
const MAX_FILES = 512;
const MAX_BYTES = 16 * 1024 * 1024;
const MAX_MANIFEST_BYTES = 1024 * 1024;
const PAGE = 10;

interface SkillFolder {
  readonly vault: string;
  readonly root: string;
  readonly name: string;
  readonly files: readonly ListedFile[];
}

type Frontmatter = Readonly<Record<string, unknown>>;

export class Skills implements SkillProvider<Caller> {
  readonly #vaults: OpenVaults;
  readonly #log: Log;
  /** By file and version, of the skills that were listed. */
  readonly #digests = new Map<string, `sha256:${string}`>();
  readonly #reported = new Set<string>();

  constructor(vaults: OpenVaults, log: Log) {
    this.#vaults = vaults;
    this.#log = log;
  }

  async list(cursor?: string): Promise<{ skills: Skill[]; nextCursor?: string }> {
    const [vault = '', name = ''] = readCursor(cursor);
    const all = (await Promise.all(this.#vaults.names().map((each) => this.#folders(each)))).flat();
    const rest = all.filter((folder) =>
      folder.vault === vault ? folder.name > name : folder.vault > vault,
    );
    const page = rest.slice(0, PAGE);
    const skills: Skill[] = [];
    for (const folder of page) {
      const skill = await this.#skill(folder);
      if (skill) skills.push(skill);
    }
    const last = page.at(-1);
    if (last === undefined || rest.length <= PAGE) return { skills };
    return { skills, nextCursor: writePlace([last.vault, last.name]) };
  }

  async get(uri: string): Promise<Skill | undefined> {
    const address = readUri(uri);
    if (address?.file !== MANIFEST) return undefined;
    const folders = await this.#folders(address.vault);
    const folder = folders.find(({ name }) => name === address.name);
    return folder && this.#skill(folder);
  }

  /** The manifests of one vault, for its list of resources. */
  async resources(vault: string): Promise<Resource[]> {
    const found = await Promise.all(
      (await this.#folders(vault)).map(async (folder): Promise<Resource[]> => {
        const frontmatter = await this.#frontmatter(folder);
        if (!frontmatter) return [];
        const { name, description } = frontmatter as { name: string; description: string };
        const uri = uriOf(folder, MANIFEST);
        return [{ uri, name, title: `Skill: ${name}`, description, mimeType: 'text/markdown' }];
      }),
    );
    return found.flat();
  }

  async read(uri: string): Promise<StoredFile | undefined> {
    const address = readUri(uri);
    if (!address || !this.#vaults.names().includes(address.vault)) return undefined;
    const { root } = this.#vaults.get(address.vault).vault;
    return readStoredFile(root, `${FOLDER}/${address.name}/${address.file}`, MAX_BYTES).catch(
      (error) => {
        if (error instanceof StorageError && error.code === 'path_invalid') return undefined;
        throw error;
      },
    );
  }

  async #folders(vault: string): Promise<SkillFolder[]> {
    if (!this.#vaults.names().includes(vault)) return [];
    const { root } = this.#vaults.get(vault).vault;
    const byName = Map.groupBy(
      await listFiles(root, FOLDER),
      ({ path }) => path.slice(FOLDER.length + 1).split('/')[0]!,
    );
    const folders = [...byName].map(([name, files]) => ({ vault, root, name, files }));
    folders.sort((one, other) => (one.name < other.name ? -1 : 1));
    for (const { name } of folders.slice(MAX_SKILLS_PER_VAULT)) {
      this.#skip({ vault, name }, `a vault has at most ${MAX_SKILLS_PER_VAULT} skills`);
    }
    return folders.slice(0, MAX_SKILLS_PER_VAULT);
  }

  async #skill(folder: SkillFolder): Promise<Skill | undefined> {
    const frontmatter = await this.#frontmatter(folder);
    if (!frontmatter) return undefined;
    const resources: Skill['resources'][number][] = [];
    for (const file of folder.files) {
      const digest = await this.#digest(folder, file);
      // Removed since it was listed.
      if (digest === undefined) continue;
      resources.push({ uri: uriOf(folder, nameIn(folder, file)), digest, size: file.bytes });
    }
    return { uri: uriOf(folder, MANIFEST), frontmatter, resources };
  }

  /** Undefined for an invalid skill. */
  async #frontmatter(folder: SkillFolder): Promise<Frontmatter | undefined> {
    const found = await readFrontmatterOf(folder).catch((error) => ({ problem: String(error) }));
    if (!('problem' in found)) return found.frontmatter;
    this.#skip(folder, found.problem);
    return undefined;
  }

  async #digest({ vault, root }: SkillFolder, { path, bytes, mtimeMs }: ListedFile) {
    const version = `${vault}/${path} ${bytes} ${mtimeMs}`;
    const known = this.#digests.get(version);
    if (known !== undefined) return known;
    const file = await readStoredFile(root, path, MAX_BYTES);
    if (file === undefined || file.bytes.length !== bytes) return undefined;
    const digest = `sha256:${hash('sha256', file.bytes)}` as const;
    // Evicts old versions, at the cost of hashing all again.
    if (this.#digests.size >= MAX_FILES * MAX_SKILLS_PER_VAULT) this.#digests.clear();
    this.#digests.set(version, digest);
    return digest;
  }

  /** Once for each reason: clients list skills often. */
  #skip({ vault, name }: Pick<SkillFolder, 'vault' | 'name'>, reason: string): void {
    const line = `${vault}/${name} ${reason}`;
    if (this.#reported.has(line) || this.#reported.size > MAX_FILES) return;
    this.#reported.add(line);
    this.#log.warn('skill_skipped', { vault, skill: name, reason });
  }
}

async function readFrontmatterOf(
  folder: SkillFolder,
): Promise<{ readonly frontmatter: Frontmatter } | { readonly problem: string }> {
  const { root, name, files } = folder;
  if (!NAME.test(name)) {
    return { problem: 'the folder may have lower-case letters, digits and single hyphens only' };
  }
  if (files.length > MAX_FILES) return { problem: `it has more than ${MAX_FILES} files` };
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  if (bytes > MAX_BYTES) return { problem: `its files have more than ${MAX_BYTES} bytes` };
  const manifest = await readStoredFile(root, `${FOLDER}/${name}/${MANIFEST}`, MAX_MANIFEST_BYTES);
  if (manifest === undefined) return { problem: `it has no ${MANIFEST}` };
  const start = manifest.bytes.subarray(0, 3).equals(BYTE_ORDER_MARK) ? 3 : 0;
  const range = frontmatterRange(manifest.bytes.toString('latin1'), start);
  if (!range) return { problem: `its ${MANIFEST} does not begin with frontmatter` };
  const yaml = readYaml(manifest.bytes.subarray(range.innerStart, range.innerEnd), 2);
  if ('problem' in yaml) return yaml;
  const { name: named, description } = yaml.data;
  if (named !== name) return { problem: `its name in ${MANIFEST} is not that of its folder` };
  if (typeof description !== 'string' || description === '') {
    return { problem: `its ${MANIFEST} has no description` };
  }
  return { frontmatter: yaml.data };
}

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

function nameIn({ name }: SkillFolder, { path }: ListedFile): string {
  return path.slice(FOLDER.length + name.length + 2);
}

function uriOf({ vault, name }: Pick<SkillFolder, 'vault' | 'name'>, file: string): string {
  const segments = [vault, name, ...file.split('/')];
  return SCHEME + segments.map(encodeURIComponent).join('/');
}

function readUri(uri: string): { vault: string; name: string; file: string } | undefined {
  if (!uri.startsWith(SCHEME)) return undefined;
  try {
    const [vault = '', name = '', ...rest] = uri
      .slice(SCHEME.length)
      .split('/')
      .map(decodeURIComponent);
    const file = rest.join('/');
    if (!NAME.test(name) || pathProblem(file) !== undefined) return undefined;
    return { vault, name, file };
  } catch {
    return undefined;
  }
}

function readCursor(cursor: string | undefined): [vault?: string, name?: string] {
  try {
    return (readPlace(cursor, ['text', 'text']) ?? []) as [string?, string?];
  } catch {
    throw new RpcError(INVALID_PARAMS, 'invalid cursor; omit it to start again');
  }
}
