import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { inflateRawSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { unzipSync } from 'fflate';
import { type ZipEntry, zipEntries } from './zip-entries.ts';
import { centralRecord, descriptor, endOfArchive } from './zip-records.ts';

const textOf = (number: number): string => `# Page ${number}\n\n${'the tide rises '.repeat(number % 7)}`;

async function* pages(count: number, onPage: (number: number) => void = () => undefined): AsyncGenerator<ZipEntry> {
  for (let number = 0; number < count; number += 1) {
    onPage(number);
    yield { name: `a.example/ä-${number}.md`, content: textOf(number) };
  }
}

async function bytesOf(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all);
}

setFlagsFromString('--expose-gc');
const collectGarbage: unknown = runInNewContext('gc');

/** Returns the bytes that are in use; memory that could be freed does not count. */
function memoryHeld(): number {
  if (typeof collectGarbage === 'function') collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

test('an archive of 70,000 entries has the records of ZIP64, and all of them are read', async () => {
  const archive = await bytesOf(zipEntries(pages(70_000), 1));
  const files = unzipSync(archive);
  expect(Object.keys(files)).toHaveLength(70_000);
  expect(Buffer.from(files['a.example/ä-69999.md'] ?? []).toString()).toBe(textOf(69_999));
}, 60_000);

test('an archive holds less than 2 KB of memory for each of its entries while it is written', async () => {
  const held = new Map<number, number>();
  const counts = [5_000, 45_000] as const;
  const source = pages(counts[1] + 1, (number) => {
    if (number === counts[0] || number === counts[1]) held.set(number, memoryHeld());
  });
  for await (const chunk of zipEntries(source, 1)) if (chunk.length === 0) throw new Error('an empty chunk');
  const growth = (held.get(counts[1]) ?? 0) - (held.get(counts[0]) ?? 0);
  expect(growth / (counts[1] - counts[0])).toBeLessThan(2_048);
}, 60_000);

test.each([
  [0, 'stored'],
  [6, 'deflated'],
])('an entry of parts is written at level %i with its size and checksum behind its content', async (level, _) => {
  async function* parts(): AsyncGenerator<string | Uint8Array> {
    yield 'one ';
    yield '';
    yield Buffer.from('two');
  }
  async function* entries(): AsyncGenerator<ZipEntry> {
    yield { name: 'parts.txt', content: parts() };
    yield { name: 'empty.txt', content: '' };
  }
  const archive = await bytesOf(zipEntries(entries(), level));
  const files = unzipSync(archive);
  expect(Object.keys(files)).toEqual(['parts.txt', 'empty.txt']);
  expect(Buffer.from(files['parts.txt'] ?? []).toString()).toBe('one two');
  const content = archive.subarray(30 + 'parts.txt'.length, archive.indexOf('PK\u0007\u0008'));
  expect((level === 0 ? content : inflateRawSync(content)).toString()).toBe('one two');
});

test('a text above the size that is compressed at once is compressed too', async () => {
  const text = 'the tide rises over the harbour '.repeat(20_000);
  async function* entries(): AsyncGenerator<ZipEntry> {
    yield { name: 'large.md', content: text };
  }
  const archive = await bytesOf(zipEntries(entries()));
  expect(archive.length).toBeLessThan(text.length / 10);
  expect(Buffer.from(unzipSync(archive)['large.md'] ?? []).toString()).toBe(text);
});

test('sizes and positions above 4 GiB are written as 8 bytes', () => {
  const large = 5 * 2 ** 32 + 7;
  const sizes = { crc: 1, bytes: large, compressedBytes: 10, offset: large };
  const entry = { name: Buffer.from('a'), method: 8, hasDescriptor: true, ...sizes };
  const record = centralRecord(entry);
  expect([record.readUInt32LE(24), record.readUInt32LE(20), record.readUInt32LE(42)]).toEqual([
    0xff_ff_ff_ff, 10, 0xff_ff_ff_ff,
  ]);
  expect([record.readUInt16LE(47), record.readUInt16LE(49)]).toEqual([1, 16]);
  expect([record.readBigUInt64LE(51), record.readBigUInt64LE(59)]).toEqual([BigInt(large), BigInt(large)]);
  expect(descriptor(entry).readBigUInt64LE(16)).toBe(BigInt(large));
  const end = endOfArchive({ entries: 3, bytes: 100, offset: large });
  expect([end.length, end.readBigUInt64LE(48), end.readBigUInt64LE(64)]).toEqual([
    98,
    BigInt(large),
    BigInt(large + 100),
  ]);
});
