/**
 * Notes and attachments as MCP resources. The path rules are those of the tools: hidden files, path
 * traversal and symbolic links are reported as not found.
 */
import { isUtf8 } from 'node:buffer';
import type { Caller } from '../core/http/caller.ts';
import type { ResourceContents } from '../mcp/content.ts';
import { INTERNAL_ERROR, INVALID_PARAMS, RpcError } from '../mcp/jsonrpc.ts';
import type { Resource, ResourceProvider, ResourceTemplate } from '../mcp/provider.ts';
import { isNote, parseVaultPath, pathProblem } from './files/vault-path.ts';
import { readPlace, writePlace } from './index/query/cursor.ts';
import { mediaType } from './media-type.ts';
import { readResourceUri, resourceUri } from './resource-uri.ts';
import { Skills } from './skills.ts';
import { clip, fittingPage } from './tool-kit/fit.ts';
import { asNotesError } from './tool-kit/notes-error.ts';
import type { NotesParts } from './tool-kit/notes-tool.ts';
import type { OpenVault } from './vaults/open-vault.ts';

export const FILE_TEMPLATE = 'notes://{vault}/{+path}';
const INSTRUCTIONS_TEMPLATE = 'notes://{vault}/instructions';

const INSTRUCTIONS = 'instructions';
const PAGE = 100;
const KINDS = ['note', 'attachment'] as const;
const NOT_THERE = new Set(['vault_unknown', 'path_invalid', 'path_hidden', 'note_not_found']);
const MAX_LOGGED_URI_LENGTH = 300;

const TEMPLATES: readonly ResourceTemplate[] = [
  {
    uriTemplate: FILE_TEMPLATE,
    name: 'file',
    title: 'A note or an attachment',
    description: 'Notes as Markdown, pictures and PDFs as they are.',
  },
  {
    uriTemplate: INSTRUCTIONS_TEMPLATE,
    name: INSTRUCTIONS,
    title: 'Conventions of a vault',
    description: 'How its owner wants notes to be named, filed and written.',
    mimeType: 'text/markdown',
  },
];

export function notesResources(
  parts: NotesParts,
  skills = new Skills(parts.vaults, parts.log),
): ResourceProvider<Caller> {
  return {
    templates: async () => TEMPLATES,
    list: (cursor) => listPage(parts, skills, cursor),
    read: async (uri, caller) => {
      let outcome = 'failed';
      try {
        const contents = await readResource(parts, skills, uri);
        outcome = contents === undefined ? 'not_found' : 'ok';
        const address = contents && readResourceUri(uri);
        if (address) {
          const paths = new Set([address.path]);
          await parts.canaries?.delivered(caller, address.vault, paths, 'resources/read');
        }
        return contents === undefined ? undefined : [contents];
      } finally {
        parts.log.always('info', 'resource_read', {
          user: caller.user,
          client_id: caller.clientId,
          uri: uri.slice(0, MAX_LOGGED_URI_LENGTH),
          outcome,
        });
      }
    },
    watch: (uri, changed) => watchFile(parts, uri, changed),
  };
}

/** The note may not exist yet. */
function watchFile(
  { vaults }: NotesParts,
  uri: string,
  changed: () => void,
): (() => void) | undefined {
  const address = readResourceUri(uri);
  if (address === undefined || !vaults.names().includes(address.vault)) return undefined;
  if (pathProblem(address.path) !== undefined) return undefined;
  return vaults.fileChanges.watch(address.vault, parseVaultPath(address.path), changed);
}

async function readResource(
  { vaults }: NotesParts,
  skills: Skills,
  uri: string,
): Promise<ResourceContents | undefined> {
  try {
    const skillFile = await skills.read(uri);
    if (skillFile !== undefined) return contentsOf(uri, skillFile.path, skillFile.bytes);
    const address = readResourceUri(uri);
    if (address === undefined) return undefined;
    const { vault } = vaults.get(address.vault);
    if (address.path === INSTRUCTIONS) {
      const text = await vault.instructions();
      return text === undefined ? undefined : { uri, mimeType: 'text/markdown', text };
    }
    const file = await vault.find(parseVaultPath(address.path));
    return file === undefined ? undefined : contentsOf(uri, file.path, file.bytes);
  } catch (error) {
    const refusal = asNotesError(error);
    if (refusal === undefined) throw error;
    if (NOT_THERE.has(refusal.code)) return undefined;
    const code = refusal.code === 'too_large' ? INVALID_PARAMS : INTERNAL_ERROR;
    throw new RpcError(code, `${refusal.code}: ${refusal.message}`);
  }
}

/** Text if it is UTF-8, otherwise base64. */
function contentsOf(uri: string, path: string, bytes: Buffer): ResourceContents {
  const mimeType = mediaType(path);
  const isText = isNote(path) || mimeType.startsWith('text/') || mimeType === 'application/json';
  return isText && isUtf8(bytes)
    ? { uri, mimeType, text: bytes.toString('utf8') }
    : { uri, mimeType, blob: bytes.toString('base64') };
}

/** Lists each vault in turn: its conventions and skills, its notes, its attachments. */
async function listPage(
  { vaults }: NotesParts,
  skills: Skills,
  cursor: string | undefined,
): Promise<{ resources: Resource[]; nextCursor?: string }> {
  const names = vaults.names();
  let [vaultAt, kindAt, from] = readListCursor(cursor);
  const resources: Resource[] = [];
  for (; vaultAt < names.length; vaultAt++, kindAt = 0) {
    // A page must not end after the conventions and skills, or the next page would repeat them.
    if (resources.length >= PAGE - 1)
      return { resources, nextCursor: writePlace([vaultAt, 0, '']) };
    const open = vaults.get(names[vaultAt]);
    if (kindAt === 0 && from === '') {
      resources.push(...(await instructionsOf(open)), ...(await skills.resources(open.name)));
    }
    for (; kindAt < KINDS.length; kindAt++, from = '') {
      const limit = Math.max(PAGE - resources.length, kindAt === 0 && from === '' ? 1 : 0);
      if (limit <= 0) return { resources, nextCursor: writePlace([vaultAt, kindAt, from]) };
      const { items, cursor: more } = await filesOf(open, KINDS[kindAt]!, from, limit);
      resources.push(...items);
      if (more === undefined) continue;
      return { resources, nextCursor: writePlace([vaultAt, kindAt, more]) };
    }
  }
  return { resources };
}

/** The vault, the kind and the cursor of its file list. */
function readListCursor(cursor: string | undefined): [vault: number, kind: number, from: string] {
  try {
    const [vault = 0, kind = 0, from = ''] = readPlace(cursor, ['number', 'number', 'text']) ?? [];
    if (from !== '') readPlace(String(from), ['text', 'text']);
    if (Number(vault) < 0 || Number(kind) < 0) throw new Error('no vault comes before the first');
    return [Number(vault), Number(kind), String(from)];
  } catch {
    throw new RpcError(INVALID_PARAMS, 'invalid cursor; omit it to start again');
  }
}

async function instructionsOf({ name, vault }: OpenVault): Promise<Resource[]> {
  if ((await vault.instructions()) === undefined) return [];
  const title = `Conventions of ${name}`;
  const uri = resourceUri(name, INSTRUCTIONS);
  return [{ uri, name: `${name}/${INSTRUCTIONS}`, title, mimeType: 'text/markdown' }];
}

async function filesOf(
  { name, index }: OpenVault,
  kind: (typeof KINDS)[number],
  from: string,
  limit: number,
): Promise<{ readonly items: readonly Resource[]; readonly cursor?: string }> {
  return fittingPage(limit, async (count) => {
    const query = { kind, limit: count, ...(from !== '' && { cursor: from }) };
    const { items, cursor } = await index.list(query);
    return {
      items: items.map(({ path, title, bytes }) => ({
        uri: resourceUri(name, path),
        name: path,
        ...(title !== undefined && { title: clip(title) }),
        mimeType: mediaType(path),
        ...(bytes !== undefined && { size: bytes }),
      })),
      ...(cursor !== undefined && { cursor }),
    };
  });
}
