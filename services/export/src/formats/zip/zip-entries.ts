import { once } from 'node:events';
import { Readable } from 'node:stream';
import ZipStream from 'zip-stream';

export interface ZipEntry {
  readonly name: string;
  /** A text, or its parts. */
  readonly content: string | AsyncIterable<string | Uint8Array>;
}

/** Time of every entry: an archive of the same rows has the same bytes. */
const ENTRY_TIME = new Date('1980-01-01T00:00:00Z');

/** Writes entries as a ZIP archive, uncompressed at level 0, with ZIP64 where it has more than 65,535 entries or 4 GB. Holds one part of one entry at a time. */
export async function* zipEntries(entries: AsyncIterable<ZipEntry>, level = 6): AsyncGenerator<Uint8Array> {
  const zip = new ZipStream(level === 0 ? { store: true } : { zlib: { level } });
  const reader = new AbortController();
  const writing = writeAll(zip, entries, reader.signal).catch((error: unknown) => {
    zip.destroy(error instanceof Error ? error : new Error(String(error)));
  });
  try {
    for await (const chunk of zip) yield chunk;
  } finally {
    reader.abort();
    zip.destroy();
    await writing;
  }
}

/** Stops, and ends the source of the entries, when the reader has stopped. */
async function writeAll(zip: ZipStream, entries: AsyncIterable<ZipEntry>, reader: AbortSignal): Promise<void> {
  for await (const { name, content } of entries) {
    const source = typeof content === 'string' ? content : Readable.from(content, { objectMode: true });
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const stop = (): void => {
      if (typeof source !== 'string') source.destroy();
      resolve();
    };
    reader.addEventListener('abort', stop);
    if (typeof source !== 'string') source.once('error', reject);
    zip.entry(source, { name, date: ENTRY_TIME }, (error) => (error ? reject(error) : resolve()));
    await promise.finally(() => reader.removeEventListener('abort', stop));
    if (!reader.aborted && zip.writableNeedDrain) await once(zip, 'drain', { signal: reader }).catch(() => undefined);
    if (reader.aborted) return;
  }
  zip.finish();
}
