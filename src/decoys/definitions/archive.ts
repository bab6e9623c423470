/** Archives that unpack: ZIP (PKWARE APPNOTE 6.3) and tar (POSIX ustar). */
import { crc32, deflateRawSync } from 'node:zlib';

export interface ArchivedFile {
  readonly name: string;
  readonly text: string;
}

const BLOCK = 512;

export function zipOf(files: readonly ArchivedFile[], ms: number): Buffer {
  const local: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const { name, text } of files) {
    const raw = Buffer.from(text);
    const packed = deflateRawSync(raw);
    const path = Buffer.from(name);
    // Version, flags, method, time, checksum, both sizes, length of the name: the same in both headers.
    const about = Buffer.alloc(26);
    about.writeUInt16LE(20, 0);
    about.writeUInt16LE(8, 4);
    about.writeUInt32LE(dosTime(ms), 6);
    about.writeUInt32LE(crc32(raw), 10);
    about.writeUInt32LE(packed.length, 14);
    about.writeUInt32LE(raw.length, 18);
    about.writeUInt16LE(path.length, 22);
    const entry = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), about, path, packed]);
    const rest = Buffer.alloc(14);
    // A regular file with the permissions of one on Unix.
    rest.writeUInt32LE(0o100644 * 0x10000, 6);
    rest.writeUInt32LE(offset, 10);
    const mark = Buffer.from('PK\x01\x02\x14\x03', 'latin1');
    central.push(Buffer.concat([mark, about, rest, path]));
    local.push(entry);
    offset += entry.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...local, directory, end]);
}

function dosTime(ms: number): number {
  const time = new Date(ms);
  const date =
    ((time.getUTCFullYear() - 1980) << 9) | ((time.getUTCMonth() + 1) << 5) | time.getUTCDate();
  const clock =
    (time.getUTCHours() << 11) | (time.getUTCMinutes() << 5) | (time.getUTCSeconds() >> 1);
  return date * 0x10000 + clock;
}

export function tarOf(files: readonly ArchivedFile[], ms: number): Buffer {
  const blocks = files.flatMap(({ name, text }) => {
    const body = Buffer.from(text);
    const padding = Buffer.alloc((BLOCK - (body.length % BLOCK)) % BLOCK);
    return [tarHeader(name, body.length, ms), body, padding];
  });
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]);
}

function tarHeader(name: string, size: number, ms: number): Buffer {
  const header = Buffer.alloc(BLOCK);
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, '0');
  header.write(name, 0, 100);
  header.write('0000644\0', 100);
  header.write('0001750\x000001750\0', 108);
  header.write(`${octal(size, 11)}\0`, 124);
  header.write(`${octal(Math.floor(ms / 1000), 11)}\0`, 136);
  header.write(' '.repeat(8), 148);
  header.write('0', 156);
  header.write('ustar\x0000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${octal(sum, 6)}\0 `, 148);
  return header;
}
