/**
 * Reads a YAML document value by value, so that every problem has its line and its key.
 *
 * A value of another type than expected adds a problem and yields undefined, so that the reader finds
 * further problems. Prevents the "billion laughs" attack (CWE-776): the number of visited values is
 * limited.
 */
import { Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Node } from 'yaml';
import { type Problems, quote, suggestion } from './problems.ts';
import { parseYamlDocument, type YamlDocument } from './yaml-document.ts';

const MAX_VALUES = 200_000;
const PLAIN_WORD = /^[a-z][a-z_]{0,40}$/;

interface Source extends YamlDocument {
  readonly file: string;
  readonly problems: Problems;
  visited: number;
}

/** What a text must look like, and how to say so. */
interface TextForm {
  readonly pattern: RegExp;
  readonly expected: string;
}

type Readers = Readonly<Record<string, (node: YamlNode) => unknown>>;

/** The value of each key, undefined where it is absent or has a problem; and the nodes, for further problems. */
type Values<R extends Readers> = {
  readonly [K in keyof R]: ReturnType<R[K]> | undefined;
} & { readonly nodes: Readonly<Partial<Record<keyof R, YamlNode>>> };

/** The root of a document, or undefined when it is not YAML; the problems then say where. */
export function parseYaml(text: string, file: string, problems: Problems): YamlNode | undefined {
  const document = parseYamlDocument(text, file, problems);
  if (!document) return undefined;
  return new YamlNode(document.root, '', { ...document, file, problems, visited: 0 }, 0);
}

/** The root of an already parsed value, in a twelfth of the time; problems have no line. */
export function parsedYaml(value: unknown, file: string, problems: Problems): YamlNode {
  const root = new Document(value).contents as Node | null;
  const document = { text: '', root, lines: new LineCounter(), aliases: new Map() };
  return new YamlNode(root, '', { ...document, file, problems, visited: 0 }, 0);
}

export class YamlNode {
  /** Where the value is, as one would write it: `users[0].name`. */
  readonly key: string;
  readonly #node: Node | null;
  readonly #isAlias: boolean;
  readonly #source: Source;
  /** Of the key, or of the value where it has none. */
  readonly #offset: number;

  constructor(node: Node | null, key: string, source: Source, offset: number) {
    this.#isAlias = isAlias(node);
    this.#node = isAlias(node) ? (source.aliases.get(node) ?? null) : node;
    this.key = key;
    this.#source = source;
    this.#offset = offset;
  }

  problem(message: string): undefined {
    this.#source.problems.add({ ...this.#position(), message });
    return undefined;
  }

  warn(message: string): void {
    this.#source.problems.warn({ ...this.#position(), message });
  }

  get isList(): boolean {
    return isSeq(this.#node);
  }

  get isMap(): boolean {
    return isMap(this.#node);
  }

  /** As it is written in the file, comments included. */
  get sourceText(): string {
    const [start, end] = this.#node?.range ?? [0, 0];
    return this.#source.text.slice(start, end);
  }

  get isNull(): boolean {
    return this.#node === null || (isScalar(this.#node) && this.#node.value === null);
  }

  /** The entries of a map with known keys; any other key is a problem. */
  fields<K extends string>(known: readonly K[]): Partial<Record<K, YamlNode>> | undefined {
    const fields: Partial<Record<K, YamlNode>> = {};
    const entries = this.entries(known);
    if (!isMap(this.#node)) return undefined;
    for (const [name, value] of entries) {
      if ((known as readonly string[]).includes(name)) fields[name as K] = value;
      else value.problem(`unknown key${suggestion(name, known)}; known are ${known.join(', ')}`);
    }
    return fields;
  }

  /**
   * The values of a map whose keys are the program's own, each read by its reader. A required key that is
   * absent is a problem, with the advice given for it.
   */
  read<R extends Readers>(
    readers: R,
    required: Partial<Record<keyof R, string>> = {},
  ): Values<R> | undefined {
    const nodes: Partial<Record<string, YamlNode>> | undefined = this.fields(Object.keys(readers));
    if (!nodes) return undefined;
    const values = Object.entries(readers).map(([key, read]) => {
      const node = nodes[key];
      return [key, node && read(node)];
    });
    for (const [key, advice] of Object.entries<string | undefined>(required)) {
      if (!nodes[key]) this.problem(`${key} is missing${advice && `; ${advice}`}`);
    }
    return { ...Object.fromEntries(values), nodes };
  }

  /** The entries of a map, each name once. The names are free unless the known ones are given. */
  entries(known?: readonly string[]): [string, YamlNode][] {
    if (!isMap(this.#node)) {
      this.problem(`must be a map of keys and values, not ${this.#shown(hidden)}`);
      return [];
    }
    const entries = new Map<string, YamlNode>();
    for (const pair of this.#node.items) {
      if (!this.#visit()) break;
      const keyNode = pair.key as Node | null;
      const offset = keyNode?.range?.[0] ?? this.#offset;
      // Not shown: without a colon, the value is in the place of the key.
      if (!isScalar(keyNode) || pair.value === null) {
        const message = 'a key must be plain text, followed by a colon and a value';
        new YamlNode(null, this.key, this.#source, offset).problem(message);
        continue;
      }
      const name = nameOf(keyNode);
      const shown = shownName(name, pair.value as Node, known);
      const key = this.key ? `${this.key}.${shown}` : shown;
      const value = new YamlNode(pair.value as Node, key, this.#source, offset);
      if (name === '<<') value.problem('merge keys are not read; write the keys out');
      else if (entries.has(name)) value.problem('the key is defined twice in its map; keep one');
      else entries.set(name, value);
    }
    return [...entries];
  }

  /** The items of a list; an empty list is a problem where `whenEmpty` is given. */
  items(whenEmpty?: string): YamlNode[] {
    if (!isSeq(this.#node)) {
      this.problem(`must be a list, not ${this.#shown(hidden)}; begin each item with "- "`);
      return [];
    }
    if (whenEmpty && this.#node.items.length === 0) this.problem(whenEmpty);
    const items: YamlNode[] = [];
    for (const [index, item] of this.#node.items.entries()) {
      if (!this.#visit()) break;
      const node = item as Node | null;
      const offset = node?.range?.[0] ?? this.#offset;
      items.push(new YamlNode(node, `${this.key}[${index}]`, this.#source, offset));
    }
    return items;
  }

  /** A string, checked against `form`; the problem quotes it and says what would be right. */
  string(form?: TextForm): string | undefined {
    const value = this.#scalar();
    if (typeof value !== 'string') {
      const advice = value === undefined || value === null ? '' : '; put it into quotes';
      return this.problem(`must be ${form?.expected ?? 'text'}, not ${this.#shown()}${advice}`);
    }
    if (form && !form.pattern.test(value)) {
      return this.problem(`${this.quoted()} is not ${form.expected}`);
    }
    return value;
  }

  /**
   * The text as a problem may quote it: only where it is on the line of its key. Elsewhere, or over
   * several lines because of a missing quote, it may contain the values of other keys.
   */
  quoted(show: (text: string) => string = quote): string {
    const [start, end] = this.#node?.range ?? [0, 0];
    const lineOf = (offset: number) => this.#source.lines.linePos(offset).line;
    if (this.#isAlias) return 'a text that is elsewhere';
    if (lineOf(start) !== lineOf(end)) return 'a text of several lines';
    if (lineOf(start) !== lineOf(this.#offset)) return 'a text on another line';
    return show(String(this.#scalar()));
  }

  /** A secret string, which no problem quotes, also where it occurs elsewhere. */
  sensitiveString(): string | undefined {
    const value = this.#scalar();
    if (typeof value === 'string' && value !== '') {
      this.#source.problems.withhold(value);
      return value;
    }
    if (value === '') return this.problem('is empty');
    const advice = value === undefined || value === null ? '' : '; put it into quotes';
    return this.problem(`must be text, not ${this.#shown(hidden)}${advice}`);
  }

  /** A string read by `parse`, which returns undefined for text that is not of the expected form. */
  parsed<T>(
    parse: (text: string) => T | undefined,
    expected: string,
    show: (text: string) => string = quote,
  ): T | undefined {
    const text = this.#scalar();
    if (typeof text !== 'string') return this.problem(`must be ${expected}, not ${this.#shown()}`);
    return parse(text) ?? this.problem(`${this.quoted(show)} is not ${expected}`);
  }

  oneOf<T extends string>(known: readonly T[]): T | undefined {
    return this.parsed((text) => known.find((one) => one === text), `one of ${known.join(', ')}`);
  }

  /** Text, a number or a truth value. */
  scalar(): string | number | boolean | undefined {
    const value = this.#scalar();
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
      return value;
    }
    return this.problem(`must be text, a number, true or false, not ${this.#shown()}`);
  }

  integer(min: number, max: number): number | undefined {
    const value = this.#scalar();
    if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) {
      return value;
    }
    return this.problem(`must be a whole number from ${min} to ${max}, not ${this.#shown()}`);
  }

  boolean(): boolean | undefined {
    const value = this.#scalar();
    if (typeof value === 'boolean') return value;
    return this.problem(`must be true or false, not ${this.#shown()}`);
  }

  #scalar(): unknown {
    return isScalar(this.#node) ? this.#node.value : undefined;
  }

  #shown(show?: typeof hidden): string {
    if (this.isNull) return 'nothing';
    if (isMap(this.#node)) return 'a map';
    if (isSeq(this.#node)) return 'a list';
    const value = this.#scalar();
    if (typeof value === 'string') return this.quoted(show);
    if (show === hidden) return typeof value === 'number' ? 'a number' : 'true or false';
    return String(value);
  }

  #visit(): boolean {
    this.#source.visited += 1;
    if (this.#source.visited === MAX_VALUES + 1) {
      this.problem('the document expands to too many values; use fewer aliases');
    }
    return this.#source.visited <= MAX_VALUES;
  }

  #position() {
    const { line, col } = this.#source.lines.linePos(this.#offset);
    return { file: this.#source.file, line, column: col, key: this.key };
  }
}

/** Text that may be a credential in the wrong place is not quoted. */
function hidden(): string {
  return 'text';
}

/** A key as it was written, such as `007`. */
function nameOf({ value, source }: { value: unknown; source?: string }): string {
  return typeof value === 'string' ? value : (source ?? String(value));
}

/**
 * A key as a problem may show it. A misplaced colon or line break may put a secret value in the place of
 * a key. So an unknown key is shown only where it is a plain word or similar to a known one, a free name
 * only where it has a value, and then up to the first unusual character.
 */
function shownName(name: string, value: Node, known: readonly string[] | undefined): string {
  if (known) return PLAIN_WORD.test(name) || suggestion(name, known) !== '' ? name : '…';
  if (isScalar(value) && value.value === null) return '…';
  const plain = /^[\w.$-]{0,64}/.exec(name)![0];
  return plain === name && name !== '' ? name : `${plain}…`;
}
