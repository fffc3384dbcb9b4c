import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';

const MAX_LAYERS = 2;
const CHUNK_BYTES = 64 * 1024;

/** The bytes of a file, unpacked where they are gzip, whatever the file is called. */
export async function* unpack(body: Readable, layer = 0): AsyncGenerator<Buffer> {
  const chunks = buffersOf(body)[Symbol.asyncIterator]();
  const first = await fill(chunks);
  if (first === undefined) return;
  if (!(first[0] === 0x1f && first[1] === 0x8b) || layer === MAX_LAYERS) {
    yield first;
    for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) yield next.value;
    return;
  }
  const packed = Readable.from(restOf(first, chunks), { objectMode: false });
  const plain = createGunzip({ chunkSize: CHUNK_BYTES });
  // Heard by whoever reads `plain`: the pipeline destroys it with the error.
  pipeline(packed, plain, () => undefined);
  yield* unpack(plain, layer + 1);
}

async function* buffersOf(body: Readable): AsyncGenerator<Buffer> {
  for await (const chunk of body) yield Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk);
}

/** Enough bytes to tell what they are. */
async function fill(chunks: AsyncIterator<Buffer>): Promise<Buffer | undefined> {
  let head: Buffer | undefined;
  while (head === undefined || head.length < 256) {
    const next = await chunks.next();
    if (next.done === true) return head;
    head = head === undefined ? next.value : Buffer.concat([head, next.value]);
  }
  return head;
}

async function* restOf(first: Buffer, chunks: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) yield next.value;
}
