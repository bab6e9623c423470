/**
 * A YAML document read node by node, so that every problem carries its line.
 *
 * Safe on hostile input: the size of the file and the number of nodes visited are bounded
 * (aliases that expand to billions are refused), and messages are our own, because those of
 * a parser may quote the text around an error, which may be a secret.
 */
import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
} from 'yaml';
import { type Problems, quote, suggestion } from './problems.ts';

const MAX_NODES = 200_000;

interface Source {
  readonly file: string;
  readonly document: Document;
  readonly lines: LineCounter;
  readonly problems: Problems;
  visited: number;
}

/** One value of the document with its key. Reading it as a type yields undefined after a problem. */
export class YamlNode {
  readonly key: string;
  readonly #node: Node | null;
  readonly #source: Source;
  readonly #offset: number;

  constructor(node: Node | null, key: string, source: Source, offset: number) {
    const resolved = isAlias(node) ? (node.resolve(source.document) ?? null) : node;
    this.#node = resolved as Node | null;
    this.key = key;
    this.#source = source;
    this.#offset = node?.range?.[0] ?? offset;
  }

  problem(message: string): undefined {
    this.#source.problems.add({ ...this.#position(), message });
    return undefined;
  }

  warn(message: string): void {
    this.#source.problems.warn({ ...this.#position(), message });
  }

  get isNull(): boolean {
    return this.#node === null || (isScalar(this.#node) && this.#node.value === null);
  }

  /** The entries of a map whose keys are the program's own; any other key is a problem. */
  fields<K extends string>(known: readonly K[]): Partial<Record<K, YamlNode>> {
    const fields: Partial<Record<K, YamlNode>> = {};
    for (const [name, value] of this.entries()) {
      if ((known as readonly string[]).includes(name)) fields[name as K] = value;
      else value.problem(`unknown key${suggestion(name, known)}; known are ${known.join(', ')}`);
    }
    return fields;
  }

  /** The entries of a map with free names. */
  entries(): [string, YamlNode][] {
    if (!isMap(this.#node)) {
      this.problem(`must be a map of keys and values, not ${this.#kind()}`);
      return [];
    }
    const entries: [string, YamlNode][] = [];
    for (const pair of this.#node.items) {
      if (!this.#visit()) break;
      const keyNode = pair.key as Node;
      const offset = keyNode?.range?.[0] ?? this.#offset;
      if (!isScalar(keyNode)) {
        new YamlNode(null, this.key, this.#source, offset).problem('a key must be plain text');
        continue;
      }
      const name = String(keyNode.value);
      const key = this.key ? `${this.key}.${name}` : name;
      entries.push([name, new YamlNode(pair.value as Node | null, key, this.#source, offset)]);
    }
    return entries;
  }

  items(): YamlNode[] {
    if (!isSeq(this.#node)) {
      this.problem(`must be a list, not ${this.#kind()}`);
      return [];
    }
    const items: YamlNode[] = [];
    for (const [index, item] of this.#node.items.entries()) {
      if (!this.#visit()) break;
      items.push(
        new YamlNode(item as Node | null, `${this.key}[${index}]`, this.#source, this.#offset),
      );
    }
    return items;
  }

  /** A string, checked against `form`; the problem quotes it and says what would be right. */
  string(form?: { readonly pattern: RegExp; readonly expected: string }): string | undefined {
    const value = this.#scalar();
    if (typeof value !== 'string') {
      const expected = form ? form.expected : 'text';
      return this.problem(`must be ${expected}, not ${this.#kind()}`);
    }
    if (form && !form.pattern.test(value)) {
      return this.problem(`${quote(value)} is not ${form.expected}`);
    }
    return value;
  }

  /** A string that no message ever quotes. */
  sensitiveString(): string | undefined {
    const value = this.#scalar();
    if (typeof value === 'string' && value !== '') return value;
    if (typeof value === 'number' || typeof value === 'boolean') {
      return this.problem('must be text; put the value into quotes');
    }
    return this.problem(value === '' ? 'is empty' : 'must be text');
  }

  /** A string read by `parse`, which returns undefined for text that is not of the expected form. */
  parsed<T>(parse: (text: string) => T | undefined, expected: string): T | undefined {
    const text = this.string();
    if (text === undefined) return undefined;
    return parse(text) ?? this.problem(`${quote(text)} is not ${expected}`);
  }

  integer(min: number, max: number): number | undefined {
    const value = this.#scalar();
    if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) {
      return value;
    }
    const shown =
      typeof value === 'object' || value === undefined ? this.#kind() : quote(String(value));
    return this.problem(`must be a whole number from ${min} to ${max}, not ${shown}`);
  }

  boolean(): boolean | undefined {
    const value = this.#scalar();
    if (typeof value === 'boolean') return value;
    const shown = typeof value === 'string' ? quote(value) : this.#kind();
    return this.problem(`must be true or false, not ${shown}`);
  }

  #scalar(): unknown {
    return isScalar(this.#node) ? this.#node.value : undefined;
  }

  #kind(): string {
    if (this.isNull) return 'nothing';
    if (isMap(this.#node)) return 'a map';
    if (isSeq(this.#node)) return 'a list';
    const value = this.#scalar();
    if (typeof value === 'number') return 'a number (put it into quotes)';
    if (typeof value === 'boolean') return 'true or false (put it into quotes)';
    return typeof value === 'string' ? 'text' : 'an unknown value';
  }

  #visit(): boolean {
    this.#source.visited += 1;
    if (this.#source.visited <= MAX_NODES) return true;
    if (this.#source.visited === MAX_NODES + 1) {
      this.problem('the document expands to too many values; use fewer aliases');
    }
    return false;
  }

  #position() {
    const { line, col } = this.#source.lines.linePos(this.#offset);
    return { file: this.#source.file, line, column: col, key: this.key };
  }
}

/** The root of a document, or undefined when it is not YAML; the problems then say where. */
export function parseYaml(text: string, file: string, problems: Problems): YamlNode | undefined {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    strict: true,
    uniqueKeys: true,
    stringKeys: false,
    logLevel: 'silent',
  });
  for (const error of [...document.errors, ...document.warnings]) {
    const { line, col } = lines.linePos(error.pos[0]);
    problems.add({ file, line, column: col, message: `not valid YAML: ${reason(error.code)}` });
  }
  if (document.errors.length + document.warnings.length > 0) return undefined;
  const source: Source = { file, document, lines, problems, visited: 0 };
  return new YamlNode(document.contents as Node | null, '', source, 0);
}

function reason(code: string): string {
  return (
    REASONS[code] ?? `the text here cannot be read (${code.toLowerCase().replaceAll('_', ' ')})`
  );
}

const REASONS: Record<string, string> = {
  BAD_ALIAS: 'an alias without its anchor',
  BAD_INDENT: 'the indentation does not fit the lines above',
  DUPLICATE_KEY: 'the key stands twice in the same map',
  MISSING_CHAR: 'a quote, bracket or colon is missing',
  TAB_AS_INDENT: 'a tab used as indentation; use spaces',
  MULTIPLE_DOCS: 'more than one document; remove the line "---"',
  TAG_RESOLVE_FAILED: 'a tag that is not known',
  UNEXPECTED_TOKEN: 'something that does not belong here',
  IMPOSSIBLE: 'something that does not belong here',
  BLOCK_AS_IMPLICIT_KEY: 'a nested value where a key is expected; check the indentation',
  MULTILINE_IMPLICIT_KEY: 'a key that spans lines; check the quotes and the colon',
};
