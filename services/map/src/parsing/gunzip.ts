import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';

const MAX_LAYERS = 2;
const CHUNK_BYTES = 64 * 1024;

/** Yields the bytes of a file, decompressed (up to twice) if they start with the gzip magic number. The file name is not used. */
export async function* gunzip(body: Readable, layer = 0): AsyncGenerator<Buffer> {
  const chunks = buffersOf(body)[Symbol.asyncIterator]();
  const { head: first, failure } = await readHead(chunks);
  if (first !== undefined && failure !== undefined && !isGzip(first)) yield first;
  if (failure !== undefined) throw failure.error;
  if (first === undefined) return;
  if (!isGzip(first) || layer === MAX_LAYERS) {
    yield first;
    for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) yield next.value;
    return;
  }
  const packed = Readable.from(prepend(first, chunks), { objectMode: false });
  const plain = createGunzip({ chunkSize: CHUNK_BYTES });
  // The pipeline destroys `plain` with the error, so its reader receives it.
  pipeline(packed, plain, () => undefined);
  yield* gunzip(plain, layer + 1);
}

async function* buffersOf(body: Readable): AsyncGenerator<Buffer> {
  for await (const chunk of body) yield Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk);
}

interface Head {
  /** Undefined: the body is empty. */
  readonly head: Buffer | undefined;
  /** The body failed before there were enough bytes to detect the format. */
  readonly failure?: { readonly error: unknown };
}

const isGzip = (head: Buffer): boolean => head[0] === 0x1f && head[1] === 0x8b;

/** Reads enough bytes to detect the format. */
async function readHead(chunks: AsyncIterator<Buffer>): Promise<Head> {
  let head: Buffer | undefined;
  try {
    while (head === undefined || head.length < 256) {
      const next = await chunks.next();
      if (next.done === true) break;
      head = head === undefined ? next.value : Buffer.concat([head, next.value]);
    }
  } catch (error) {
    return { head, failure: { error } };
  }
  return { head };
}

async function* prepend(first: Buffer, chunks: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) yield next.value;
}
