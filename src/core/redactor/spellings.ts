/**
 * Recognises every spelling of some characters: raw, escaped in any way, and that escaped again.
 *
 * Prevents evasion of the redaction by unexpected escapes (CWE-116). An escape is expanded into the
 * spellings of its own signs down to `DEPTH`, and the resulting automaton is made deterministic lazily,
 * as texts reach its states. So reading a byte is one look-up, and several readings of the same bytes
 * (`=de` is three characters, or one of quoted-printable) are followed at once. A character has some
 * 3,000 states, which take 50 ms to create.
 */
import { memoize } from '../memoize.ts';
import { DEPTH, escapesAt, isAlphanumeric, sequencesOf } from './escapes.ts';
import { FOLD } from './fold.ts';
import { indexOfPair, type Outline, outlineOf } from './spelling-outline.ts';

/** Bytes that one sign may take: `&amp;#x005c;u&amp;#x007b;0000002b&amp;#x007d;` and the like. */
export const MAX_SPELLING = 64;

/** A state of the nondeterministic automaton. */
interface Node {
  readonly id: number;
  /** Made when it is first needed. */
  edges: Map<number, Node[]> | undefined;
  readonly expand: () => Map<number, Node[]>;
}

/** A prefix tree of escapes. */
class Trie {
  readonly id: number;
  readonly children = new Map<number, Trie>();
  isEnd = false;

  constructor(id: number) {
    this.id = id;
  }
}

const MAX_KEPT = 128;
const UNKNOWN = -1;
const DEAD = 0;

export class Spellings {
  /** The state before the first byte. */
  readonly start: number;
  /** By byte: 1 if a spelling may begin with it. */
  readonly begins: Uint8Array;
  /** By 256 times a state plus a folded byte: the next state. */
  #next = new Int32Array(0);
  /** By state, the indexes of the characters that are complete here. */
  readonly #accepts: (readonly number[])[] = [];
  readonly #finals: boolean[] = [];
  readonly #sets: (readonly Node[])[] = [];
  readonly #known = new Map<string, number>();
  /** The last node of each character, and its index. */
  readonly #accepting: ReadonlyMap<Node, number>;

  /** Made when it is needed. */
  #outline: Outline | undefined;
  readonly #characters: readonly string[];

  constructor(characters: readonly string[]) {
    this.#characters = characters;
    const graph = new Graph();
    const ends = characters.map(() => graph.final());
    this.#accepting = new Map(ends.map((end, index) => [end, index]));
    this.#stateOf([]);
    this.start = this.#stateOf(
      characters.flatMap((character, index) =>
        sequencesOf(character).map((codes) => graph.entry(codes, ends[index]!)),
      ),
    );
    this.begins = Uint8Array.from({ length: 256 }, (_, byte) =>
      this.step(this.start, byte) === DEAD ? 0 : 1,
    );
  }

  /** How many states texts have reached. */
  get stateCount(): number {
    return this.#sets.length;
  }

  /** The state after one more byte, or 0 where no spelling goes on. */
  step(state: number, byte: number): number {
    const next = this.#next[state * 256 + FOLD[byte]!]!;
    if (next !== UNKNOWN) return next;
    this.#fillRow(state);
    return this.#next[state * 256 + FOLD[byte]!]!;
  }

  /** The indexes of the characters that were read. */
  accepted(state: number): readonly number[] {
    return this.#accepts[state]!;
  }

  /** Whether a character is complete, and no longer spelling goes on from here. */
  isFinal(state: number): boolean {
    return this.#finals[state]!;
  }

  /** Whether a spelling may end with a byte. */
  mayEnd(byte: number): boolean {
    this.#outline ??= outlineOf(this.#characters);
    return this.#outline.last[FOLD[byte]!] === 1;
  }

  /** Whether two bytes may follow each other in a spelling. */
  mayHold(byte: number, next: number): boolean {
    this.#outline ??= outlineOf(this.#characters);
    const index = indexOfPair(byte, next);
    return (this.#outline.pairs[index >> 5]! & (1 << (index & 31))) !== 0;
  }

  /** Computes the transitions of a state for all bytes: one at a time took ten times as long. */
  #fillRow(state: number): void {
    const targets = new Map<number, Set<Node>>();
    for (const node of this.#sets[state]!) {
      node.edges ??= node.expand();
      for (const [byte, nodes] of node.edges) {
        const known = targets.get(byte);
        if (known === undefined) targets.set(byte, new Set(nodes));
        else for (const next of nodes) known.add(next);
      }
    }
    this.#next.fill(DEAD, state * 256, state * 256 + 256);
    for (const [byte, nodes] of targets) {
      const next = this.#stateOf([...nodes]);
      this.#next[state * 256 + byte] = next;
    }
  }

  #stateOf(nodes: readonly Node[]): number {
    const ids = Uint32Array.from(nodes, ({ id }) => id).sort();
    const key = ids.join();
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const state = this.#sets.push(nodes) - 1;
    this.#known.set(key, state);
    const accepted = nodes.flatMap((node) => this.#accepting.get(node) ?? []).sort();
    this.#accepts.push(accepted);
    this.#finals.push(nodes.length > 0 && accepted.length === nodes.length);
    if ((state + 1) * 256 > this.#next.length) {
      const grown = new Int32Array(Math.max(this.#next.length * 2, 16 * 256)).fill(UNKNOWN);
      grown.set(this.#next);
      this.#next = grown;
    }
    return state;
  }
}

/** The nodes of one automaton, each made once. */
class Graph {
  readonly #nodes = new Map<string, Node>();
  #count = 0;

  final(): Node {
    return this.#node(`end ${this.#count}`, () => new Map());
  }

  /** Before the spellings of these codes, with all escapes; `next` is behind them. */
  entry(codes: readonly number[], next: Node): Node {
    return codes.reduceRight((after, code) => this.#before(code, DEPTH, after), next);
  }

  #before(code: number, depth: number, next: Node): Node {
    return this.#node(`${code} ${depth} ${next.id}`, () => {
      const edges = new Map<number, Node[]>();
      if (code < 0x100) add(edges, FOLD[code]!, [next]);
      if (depth > 0) this.#addEdges(edges, trieOf(code, depth), depth - 1, next);
      return edges;
    });
  }

  #within(trie: Trie, depth: number, next: Node): Node {
    return this.#node(`in ${trie.id} ${depth} ${next.id}`, () => {
      const edges = new Map<number, Node[]>();
      this.#addEdges(edges, trie, depth, next);
      return edges;
    });
  }

  /** What leads on from a place in an escape; its signs have this depth. */
  #addEdges(edges: Map<number, Node[]>, trie: Trie, depth: number, next: Node): void {
    for (const [code, child] of trie.children) {
      const targets = child.children.size > 0 ? [this.#within(child, depth, next)] : [];
      if (child.isEnd) targets.push(next);
      if (isAlphanumeric(code)) {
        add(edges, FOLD[code]!, targets);
        continue;
      }
      for (const target of targets) {
        const before = this.#before(code, depth, target);
        before.edges ??= before.expand();
        for (const [byte, nodes] of before.edges) add(edges, byte, nodes);
      }
    }
  }

  #node(key: string, expand: () => Map<number, Node[]>): Node {
    const known = this.#nodes.get(key);
    if (known !== undefined) return known;
    const node: Node = { id: this.#count++, edges: undefined, expand };
    this.#nodes.set(key, node);
    return node;
  }
}

function add(edges: Map<number, Node[]>, byte: number, nodes: readonly Node[]): void {
  const known = edges.get(byte);
  if (known === undefined) edges.set(byte, [...nodes]);
  else for (const node of nodes) if (!known.includes(node)) known.push(node);
}

const tries = new Map<string, Trie>();
let trieCount = 0;

/** The escapes of a code at a depth. */
function trieOf(code: number, depth: number): Trie {
  const isInnermost = depth === DEPTH;
  const key = `${code} ${isInnermost}`;
  const known = tries.get(key);
  if (known !== undefined) return known;
  const root = new Trie(trieCount++);
  for (const written of escapesAt(code, depth)) {
    let trie = root;
    for (const sign of Buffer.from(written, 'latin1')) {
      const child = trie.children.get(sign) ?? new Trie(trieCount++);
      trie.children.set(sign, child);
      trie = child;
    }
    trie.isEnd = true;
  }
  tries.set(key, root);
  return root;
}

/** The spellings of one character; of an ASCII letter, in either case. Cached: secrets share characters. */
export const spellingsOf = memoize((character) => new Spellings([character]), MAX_KEPT);
