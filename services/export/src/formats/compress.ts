import { Readable } from 'node:stream';
import { constants, createGzip, createZstdCompress } from 'node:zlib';
import type { Compression } from '@tidemark/datasets';

/** Compresses a stream of chunks, as one gzip member or one zstd frame: Node's decoder ends at the end of the first frame. A failure of the source ends the stream with its error. */
export function compress(chunks: AsyncIterable<Uint8Array>, compression: Compression): AsyncIterable<Uint8Array> {
  if (compression === 'none') return chunks;
  const encoder =
    compression === 'gzip'
      ? createGzip({ level: 6 })
      : createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: 3 } });
  return Readable.from(chunks, { objectMode: false }).compose(encoder);
}
