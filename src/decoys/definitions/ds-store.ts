/**
 * The `.DS_Store` that the Finder leaves in a folder: a tree of its entries in a file of blocks (buddy
 * allocator). The lines of the first file are the names in the folder.
 */
import type { ArchivedFile } from './archive.ts';

/** Offsets count from behind the first four bytes of the file. */
const START = 4;
const [ROOT_OFFSET, ROOT_SIZE] = [0x2000, 0x800];
const [INFO_OFFSET, INFO_SIZE] = [0x20, 0x20];
const [TREE_OFFSET, TREE_SIZE] = [0x1000, 0x1000];
/** The place of an icon: two coordinates and eight bytes that the Finder fills so. */
const ICON_TAIL = Buffer.from('ffffffffffff0000', 'hex');

export function dsStore([listing]: readonly ArchivedFile[]): Buffer {
  const names = (listing?.text ?? '').split('\n').filter((name) => name !== '');
  const sorted = names.toSorted((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1));
  const file = Buffer.alloc(START + ROOT_OFFSET + ROOT_SIZE);
  file.writeUInt32BE(1);
  file.write('Bud1', START);
  [ROOT_OFFSET, ROOT_SIZE, ROOT_OFFSET].forEach((value, at) => {
    file.writeUInt32BE(value, START + 4 + 4 * at);
  });
  writeRoot(file.subarray(START + ROOT_OFFSET));
  const records = fitting(sorted.map(recordOf), TREE_SIZE - 8);
  // Of the tree: its root block, levels, records, nodes and the size of a node.
  [2, 0, records.length, 1, TREE_SIZE].forEach((value, at) => {
    file.writeUInt32BE(value, START + INFO_OFFSET + 4 * at);
  });
  const leaf = Buffer.alloc(8);
  leaf.writeUInt32BE(records.length, 4);
  Buffer.concat([leaf, ...records]).copy(file, START + TREE_OFFSET);
  return file;
}

/** The first records, as many as one node holds. */
function fitting(records: readonly Buffer[], bytes: number): readonly Buffer[] {
  let used = 0;
  const end = records.findIndex((record) => {
    used += record.length;
    return used > bytes;
  });
  return end < 0 ? records : records.slice(0, end);
}

/** The addresses of the blocks, the one named tree, and the free blocks of each size. */
function writeRoot(root: Buffer): void {
  const blocks = [
    ROOT_OFFSET | Math.log2(ROOT_SIZE),
    INFO_OFFSET | Math.log2(INFO_SIZE),
    TREE_OFFSET | Math.log2(TREE_SIZE),
  ];
  root.writeUInt32BE(blocks.length);
  blocks.forEach((block, at) => {
    root.writeUInt32BE(block, 8 + 4 * at);
  });
  const directory = 8 + 4 * 256;
  root.writeUInt32BE(1, directory);
  root[directory + 4] = 4;
  root.write('DSDB', directory + 5);
  root.writeUInt32BE(1, directory + 9);
}

function recordOf(name: string, at: number): Buffer {
  const text = Buffer.from(name, 'utf16le').swap16();
  const length = Buffer.alloc(4);
  length.writeUInt32BE(name.length);
  const place = Buffer.alloc(12);
  place.writeUInt32BE(16);
  place.writeUInt32BE(78 + (at % 5) * 112, 4);
  place.writeUInt32BE(46 + Math.floor(at / 5) * 96, 8);
  return Buffer.concat([length, text, Buffer.from('Ilocblob'), place, ICON_TAIL]);
}
