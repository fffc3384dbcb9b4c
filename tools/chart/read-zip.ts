import { inflateRawSync } from 'node:zlib';

const END = 0x06054b50;
const ENTRY = 0x02014b50;
const DEFLATED = 8;

/** One file out of a zip archive (APPNOTE 6.3.9, without ZIP64 and encryption). @throws Error where it is not in there */
export function readZipEntry(zip: Buffer, path: string): Buffer {
  const end = zip.lastIndexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06]));
  if (end < 0 || zip.readUInt32LE(end) !== END) throw new Error('this is no zip archive');
  let at = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0 && zip.readUInt32LE(at) === ENTRY; left -= 1) {
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((offset) => zip.readUInt16LE(at + offset));
    const nameEnd = at + 46 + (nameLength ?? 0);
    if (zip.toString('utf8', at + 46, nameEnd) === path) return content(zip, at);
    at = nameEnd + (extraLength ?? 0) + (commentLength ?? 0);
  }
  throw new Error(`${path} is not in the archive`);
}

function content(zip: Buffer, entry: number): Buffer {
  const [method, packed, size] = [
    zip.readUInt16LE(entry + 10),
    zip.readUInt32LE(entry + 20),
    zip.readUInt32LE(entry + 24),
  ];
  const local = zip.readUInt32LE(entry + 42);
  const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
  const bytes = zip.subarray(start, start + packed);
  return method === DEFLATED ? inflateRawSync(bytes, { maxOutputLength: size }) : bytes;
}
