/**
 * Reads decoy files: YAML with the paths that a decoy answers, and the answers. Built-in files and those
 * of the operator have the same form; a built-in one is one kind, with a tag and an id.
 *
 * Prevents header injection (CWE-113): header names and values hold no control characters, and no
 * header that frames the message can be set.
 */
import { type Problems, suggestion } from '../../core/config/problems.ts';
import { parsedYaml, parseYaml, type YamlNode } from '../../core/config/yaml-node.ts';
import { BINARY_FORMS, type BinaryForm } from './binary-file.ts';
import { type PathPattern, parsePathPattern } from './path-pattern.ts';
import { parseTemplate, type Template } from './placeholders.ts';
import { problemOfTables } from './sqlite-file.ts';
import { allLines, isVaried, parseVariation, type Region } from './variation.ts';

export interface Definition {
  readonly tag: string;
  readonly paths: readonly PathPattern[];
  /** Or `any`. HEAD is answered wherever GET is. */
  readonly methods: readonly string[] | 'any';
  readonly status: number;
  /** Names and value templates. */
  readonly headers: readonly (readonly [name: string, value: Template])[];
  /** All of it. */
  readonly body: Template;
  /** How it differs between deployments, if it does. */
  readonly regions?: Region;
  /** Packed files instead of the body; their order and names are as written. */
  readonly archive?: { readonly form: BinaryForm; readonly files: readonly PackedFile[] };
  /** Sent with a date and an entity tag, and in parts, as a file server does. */
  readonly isFile: boolean;
}

interface PackedFile {
  readonly name: string;
  readonly body: Template;
  readonly regions?: Region;
}

/** A built-in file: what its tag means, and the answers. */
export interface BuiltIn {
  readonly tag: string;
  /** Of the honeytokens, an even number; the next one is that of `{{password}}`. Never reused. */
  readonly id: number;
  readonly category: string;
  readonly intention: string;
  readonly technique: string;
  readonly references: readonly string[];
  /** What docs/decoys.md says that it answers. */
  readonly answer: string;
  readonly decoys: readonly Definition[];
}

export const MAX_FILE_CHARACTERS = 1024 * 1024;
const MAX_DECOYS = 500;
const MAX_PATHS = 100;
const MAX_HEADERS = 32;
const MAX_BODY = 64 * 1024;
const MAX_HEADER = 1_024;
const TAG = { pattern: /^[a-z][a-z0-9-]{1,39}$/, expected: 'a tag such as backup-page' };
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'];
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/;
const PRINTABLE_LINES = /^[\t\n\r\x20-\x7e]*$/;
const PRINTABLE = /^[\t\x20-\x7e]*$/;
/** They frame the message, or identify the runtime. */
const REFUSED_HEADERS = [
  ...['connection', 'content-length', 'date', 'keep-alive', 'proxy-connection'],
  ...['te', 'trailer', 'transfer-encoding', 'upgrade'],
];
const DECOY_KEYS = [
  ...(['tag', 'paths', 'methods', 'status', 'headers', 'file', 'body'] as const),
  ...(['archive', 'files'] as const),
] as const;
const MAX_PACKED = 16;
const PACKED_NAME = /^(?!\/)(?!.*\.\.)[\w./-]{1,90}$/;
const FILE_KEYS = [
  ...(['tag', 'id', 'category', 'intention', 'technique', 'references', 'answer'] as const),
  'decoys',
] as const;

/** The operator's own decoys; what is wrong with them is added to the problems. */
export function readDecoyFile(text: string, file: string, problems: Problems): Definition[] {
  const root = rootOf(text, file, problems);
  const fields = root?.fields(['decoys']);
  if (!root || !fields) return [];
  if (!fields.decoys) return root.problem('decoys is missing; it is the list of decoys') ?? [];
  return decoys(fields.decoys, undefined);
}

/** YAML, or JSON in the built package, which is parsed several times as fast. */
export function readBuiltIn(text: string, file: string, problems: Problems): BuiltIn | undefined {
  const root = file.endsWith('.json')
    ? parsedYaml(JSON.parse(text), file, problems)
    : rootOf(text, file, problems);
  const fields = root?.fields(FILE_KEYS);
  const tag = fields?.tag?.string(TAG);
  const id = fields?.id?.integer(16, 250);
  if (!root || !fields?.decoys || tag === undefined || id === undefined) {
    return root?.problem('tag, id and decoys are required');
  }
  return {
    tag,
    id,
    category: fields.category?.string() ?? '',
    intention: fields.intention?.string() ?? '',
    technique: fields.technique?.string() ?? '',
    references: (fields.references?.items() ?? []).flatMap((item) => item.string() ?? []),
    answer: fields.answer?.string() ?? '',
    decoys: decoys(fields.decoys, tag),
  };
}

function rootOf(text: string, file: string, problems: Problems): YamlNode | undefined {
  if (text.length <= MAX_FILE_CHARACTERS) return parseYaml(text, file, problems);
  problems.add({ file, message: 'is larger than 1 MiB; use a smaller one' });
  return undefined;
}

function decoys(node: YamlNode, tag: string | undefined): Definition[] {
  const items = node.items('is empty; list at least one decoy');
  if (items.length > MAX_DECOYS) node.problem(`has more than ${MAX_DECOYS} decoys`);
  return items.slice(0, MAX_DECOYS).flatMap((item) => decoy(item, tag) ?? []);
}

function decoy(node: YamlNode, kindTag: string | undefined): Definition | undefined {
  const fields = node.fields(DECOY_KEYS);
  if (!fields) return undefined;
  const tag = fields.tag ? fields.tag.string(TAG) : kindTag;
  if (tag === undefined && !fields.tag) {
    node.problem('tag is missing; it names the decoy in the log');
  }
  if (tag === 'honeytoken-used') fields.tag?.problem('is the tag of uses; choose another');
  const paths = fields.paths ? pathsOf(fields.paths) : node.problem('paths is missing');
  const status = fields.status ? fields.status.integer(200, 599) : 200;
  const headers = fields.headers ? headersOf(fields.headers) : [];
  const { body, regions } = fields.body ? bodyOf(fields.body) : { body: [''] };
  const isEmpty = status === 204 || status === 304;
  if (isEmpty && body && body.join('') !== '') {
    fields.body?.problem(`a response with status ${status} has no body`);
  }
  const methods = fields.methods ? methodsOf(fields.methods) : ['GET'];
  const isFile = fields.file?.boolean() ?? false;
  if (isFile && body && !PRINTABLE_LINES.test(body.join(''))) {
    fields.body?.problem('must be ASCII where file is true');
  }
  if (!tag || !paths || status === undefined || !headers || !body || !methods) return undefined;
  const archive = archiveOf(fields);
  const further = { ...(regions && { regions }), ...(archive && { archive }) };
  return { tag, paths, methods, status, headers, body, isFile: isFile || !!archive, ...further };
}

function archiveOf({
  archive,
  files,
}: Partial<Record<'archive' | 'files', YamlNode>>): Definition['archive'] {
  if (!archive || !files) {
    return (archive ?? files)?.problem('archive and files belong together; give both');
  }
  const word = archive.string();
  const form = BINARY_FORMS.find((one) => one === word);
  if (!form) return archive.problem(`is not one of ${BINARY_FORMS.join(', ')}`);
  const entries = files.entries();
  if (entries.length > MAX_PACKED) files.problem(`has more than ${MAX_PACKED} files`);
  const packed = entries.slice(0, MAX_PACKED).flatMap(([name, node]) => {
    if (!PACKED_NAME.test(name)) return node.problem('is not a relative path') ?? [];
    const { body, regions } = bodyOf(node);
    return body ? [{ name, body, ...(regions && { regions }) }] : [];
  });
  const problem = form === 'sqlite' ? problemOfTables(packed.map(({ body }) => body[0]!)) : '';
  if (problem) return files.problem(problem);
  return { form, files: packed };
}

function pathsOf(node: YamlNode): PathPattern[] | undefined {
  const items = node.items('is empty; list at least one path');
  if (items.length > MAX_PATHS) return node.problem(`has more than ${MAX_PATHS} paths`);
  const form =
    'a path such as /backup/*.sql: no query, at most two * and one ** between slashes, printable ASCII';
  return items.flatMap((item) => item.parsed(parsePathPattern, form) ?? []);
}

function methodsOf(node: YamlNode): readonly string[] | 'any' | undefined {
  if (!node.isList) {
    const word = node.string({ pattern: /^any$/, expected: 'any or a list of methods' });
    return word === undefined ? undefined : 'any';
  }
  return node.items('is empty; list at least one method').flatMap((item) => {
    const name = item.string();
    if (name === undefined || METHODS.includes(name)) return name ?? [];
    const hint = suggestion(name, METHODS);
    return item.problem(`is not one of ${METHODS.join(', ')}${hint}`) ?? [];
  });
}

function headersOf(node: YamlNode): Definition['headers'] {
  const entries = node.entries();
  if (entries.length > MAX_HEADERS) node.problem(`has more than ${MAX_HEADERS} headers`);
  return entries.slice(0, MAX_HEADERS).flatMap(([name, value]) => {
    if (!TOKEN.test(name)) return value.problem('is not the name of a header') ?? [];
    if (REFUSED_HEADERS.includes(name.toLowerCase())) {
      return value.problem('is set by the server; leave it out') ?? [];
    }
    const text = value.string();
    if (text === undefined) return [];
    if (!PRINTABLE.test(text) || text.length > MAX_HEADER) {
      return value.problem('must be one line of at most 1024 printable ASCII characters') ?? [];
    }
    const template = templateOf(value, text);
    return template ? [[name, template] as const] : [];
  });
}

function bodyOf(node: YamlNode): Partial<Pick<Definition, 'body' | 'regions'>> {
  const text = node.string();
  if (text === undefined) return {};
  if (text.length > MAX_BODY) return node.problem('has more than 64 KiB; use a shorter body') ?? {};
  const regions = parseVariation(text);
  if ('problem' in regions) return node.problem(regions.problem) ?? {};
  const body = templateOf(node, allLines(regions));
  return body ? { body, ...(isVaried(regions) && { regions }) } : {};
}

function templateOf(node: YamlNode, text: string): Template | undefined {
  const template = parseTemplate(text);
  return 'problem' in template ? node.problem(template.problem) : template;
}
