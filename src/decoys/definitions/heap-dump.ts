/**
 * A heap dump as a Java virtual machine writes it (HPROF 1.0.2, 64 bit): each file is an object of the
 * class that it is named after, which holds a map of its `key=value` lines.
 */
import { crc32 } from 'node:zlib';
import type { ArchivedFile } from './archive.ts';

const TAG = { string: 0x01, loadClass: 0x02, trace: 0x05, segment: 0x1c, end: 0x2c } as const;
const SUB = {
  sticky: 0x05,
  classDump: 0x20,
  instance: 0x21,
  objects: 0x22,
  bytes: 0x23,
  root: 0xff,
} as const;
const TYPE = { object: 2, byte: 8, int: 10 } as const;
const SIZE: Readonly<Record<number, number>> = { 2: 8, 8: 1, 10: 4 };
/** Most of a heap are buffers. A dump of 200 KiB is a small one, and cheap to send. */
const BUFFERS = 24;
const EMPTY_BUFFER = Buffer.alloc(8_192);
const HEAP_START = 0x7_1000_0000;

const OBJECT = 'java/lang/Object';
const STRING = 'java/lang/String';
const NODE = 'java/util/concurrent/ConcurrentHashMap$Node';
const NODES = '[Ljava/util/concurrent/ConcurrentHashMap$Node;';
const MAP = 'java/util/concurrent/ConcurrentHashMap';
const PROPERTIES = 'java/util/Properties';
const SYSTEM = 'java/lang/System';
const BYTES = '[B';

type Field = readonly [name: string, type: number];
/** Writes a number in big-endian order. */
type Write = (value: number) => Buffer;

/** Classes and their fields, in the order in which instances hold them. */
const CLASSES: Readonly<Record<string, readonly Field[]>> = {
  [OBJECT]: [],
  [STRING]: [
    ['value', TYPE.object],
    ['coder', TYPE.byte],
    ['hash', TYPE.int],
  ],
  [NODE]: [
    ['hash', TYPE.int],
    ['key', TYPE.object],
    ['val', TYPE.object],
    ['next', TYPE.object],
  ],
  [NODES]: [],
  [BYTES]: [],
  [MAP]: [['table', TYPE.object]],
  [PROPERTIES]: [
    ['defaults', TYPE.object],
    ['map', TYPE.object],
  ],
};
const HOLDER: readonly Field[] = [
  ['name', TYPE.object],
  ['source', TYPE.object],
];
/** Readers of heap dumps look for them in `java.lang.System`. */
const SYSTEM_PROPERTIES = [
  'java.version=17.0.12',
  'java.vm.name=OpenJDK 64-Bit Server VM',
  'java.home=/usr/lib/jvm/java-17-openjdk-amd64',
  'os.name=Linux',
  'os.arch=amd64',
  'sun.arch.data.model=64',
  'user.dir=/app',
  'file.separator=/',
];

export function heapDump(files: readonly ArchivedFile[], ms: number): Buffer {
  const dump = new Dump(files.map(({ text }) => text).join());
  for (const [name, fields] of Object.entries(CLASSES)) dump.addClass(name, fields);
  const properties = [0, dump.map(SYSTEM_PROPERTIES)];
  dump.addClass(SYSTEM, [], { props: dump.instance(PROPERTIES, properties) });
  for (const { name, text } of files) {
    const holder = name.replaceAll('.', '/');
    dump.addClass(holder, HOLDER);
    const map = dump.map(text.split('\n').filter((line) => line.includes('=')));
    dump.addRoot(dump.instance(holder, [dump.string(name), map]));
  }
  for (let buffer = 0; buffer < BUFFERS; buffer++) dump.addRoot(dump.bytes(EMPTY_BUFFER));
  return dump.finish(ms);
}

interface LoadedClass {
  readonly address: number;
  readonly fields: readonly Field[];
}

class Dump {
  readonly #records: Buffer[] = [];
  readonly #heap: Buffer[] = [];
  readonly #names = new Map<string, number>();
  readonly #classes = new Map<string, LoadedClass>();
  #next: number;

  /** Addresses differ between deployments, as they do between runs. */
  constructor(seed: string) {
    this.#next = HEAP_START + (crc32(seed) & 0xff_fff0);
    this.#records.push(record(TAG.trace, [u4(1), u4(0), u4(0)]));
  }

  addClass(
    name: string,
    fields: readonly Field[],
    statics: Readonly<Record<string, number>> = {},
  ): void {
    if (this.#classes.has(name)) return;
    const address = this.#allocate(128);
    const serial = this.#classes.size + 1;
    this.#classes.set(name, { address, fields });
    this.#records.push(
      record(TAG.loadClass, [u4(serial), id(address), u4(1), id(this.#name(name))]),
    );
    const parent = name === OBJECT ? 0 : this.#classes.get(OBJECT)!.address;
    const size = fields.reduce((total, [, type]) => total + SIZE[type]!, 0);
    const described = fields.flatMap(([field, type]) => [id(this.#name(field)), u1(type)]);
    const held = Object.entries(statics);
    const values = held.flatMap(([field, address]) => [
      id(this.#name(field)),
      u1(TYPE.object),
      id(address),
    ]);
    const none = [0, 0, 0, 0, 0].map(id);
    this.#heap.push(
      Buffer.concat([u1(SUB.sticky), id(address)]),
      Buffer.concat([
        ...[u1(SUB.classDump), id(address), u4(1), id(parent), ...none, u4(size)],
        ...[u2(0), u2(held.length), ...values, u2(fields.length), ...described],
      ]),
    );
  }

  /** Returns its address, as the following do. */
  string(text: string): number {
    const value = this.bytes(Buffer.from(text, 'latin1'));
    return this.instance(STRING, [value, 0, hashOf(text)]);
  }

  bytes(bytes: Buffer): number {
    const address = this.#allocate(16 + bytes.length);
    const head = [u1(SUB.bytes), id(address), u4(1), u4(bytes.length), u1(TYPE.byte)];
    this.#heap.push(...head, bytes);
    return address;
  }

  /** Keeps an object from being left out as garbage. */
  addRoot(address: number): void {
    this.#heap.push(u1(SUB.root), id(address));
  }

  map(lines: readonly string[]): number {
    const nodes = lines.map((line) => {
      const at = line.indexOf('=');
      const [key, value] = [line.slice(0, at), line.slice(at + 1)];
      const values = [hashOf(key), this.string(key), this.string(value), 0];
      return this.instance(NODE, values);
    });
    const table = this.#allocate(16 + 8 * nodes.length);
    const kind = id(this.#classes.get(NODES)!.address);
    this.#heap.push(
      Buffer.concat([
        ...[u1(SUB.objects), id(table), u4(1), u4(nodes.length), kind],
        ...nodes.map(id),
      ]),
    );
    return this.instance(MAP, [table]);
  }

  instance(name: string, values: readonly number[]): number {
    const { address: classAddress, fields } = this.#classes.get(name)!;
    const bodies = fields.map(([, type], at) => {
      const value = values[at]!;
      return type === TYPE.object ? id(value) : type === TYPE.byte ? u1(value) : u4(value);
    });
    const body = Buffer.concat(bodies);
    const address = this.#allocate(16 + body.length);
    const head = [u1(SUB.instance), id(address), u4(1), id(classAddress), u4(body.length)];
    this.#heap.push(...head, body);
    return address;
  }

  finish(ms: number): Buffer {
    const header = Buffer.alloc(12);
    header.writeUInt32BE(8);
    header.writeBigUInt64BE(BigInt(ms), 4);
    return Buffer.concat([
      Buffer.from('JAVA PROFILE 1.0.2\0', 'latin1'),
      header,
      ...this.#records,
      record(TAG.segment, this.#heap),
      record(TAG.end, []),
    ]);
  }

  #name(text: string): number {
    const known = this.#names.get(text);
    if (known !== undefined) return known;
    const address = this.#allocate(32);
    this.#names.set(text, address);
    this.#records.push(record(TAG.string, [id(address), Buffer.from(text)]));
    return address;
  }

  #allocate(bytes: number): number {
    const address = this.#next;
    this.#next += (bytes + 15) & ~15;
    return address;
  }
}

/** As `String.hashCode`. */
function hashOf(text: string): number {
  let hash = 0;
  for (const character of text) hash = (Math.imul(hash, 31) + character.charCodeAt(0)) | 0;
  return hash >>> 0;
}

function record(tag: number, body: readonly Buffer[]): Buffer {
  const length = body.reduce((total, { length }) => total + length, 0);
  return Buffer.concat([u1(tag), u4(0), u4(length), ...body]);
}

const [u1, u2, u4, id] = [1, 2, 4, 8].map((length) => (value: number) => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes.subarray(8 - length);
}) as [Write, Write, Write, Write];
