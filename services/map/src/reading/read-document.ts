import type { Readable } from 'node:stream';
import type { TextDecoder } from 'node:util';
import { decoderFor } from './decoder-for.ts';
import { JsonFeedReader } from './json-feed-reader.ts';
import type { Reader, ReadOutcome, Sink } from './sink.ts';
import { TextReader } from './text-reader.ts';
import { unpack } from './unpack.ts';
import { XmlReader } from './xml-reader.ts';

export interface DocumentOutcome extends ReadOutcome {
  /** Unpacked. */
  readonly bytes: number;
}

/** Characters looked at to tell what a file is. */
const SNIFFED = 1_024;

/**
 * Reads a sitemap of any form out of a stream, in memory that does not grow with it: packed or not by its first bytes, in the
 * charset it says, XML, JSON or text by its first character. What stops it is said; what was read until then is kept.
 */
export async function readDocument(body: Readable, sink: Sink, maxBytes: number): Promise<DocumentOutcome> {
  let bytes = 0;
  let reader: Reader | undefined;
  let head = '';
  let decoder: TextDecoder | undefined;
  let early: string | undefined;
  const give = (text: string): boolean => {
    if (reader !== undefined) return reader.write(text);
    head = (head + text).trimStart();
    if (head.length < SNIFFED) return true;
    reader = readerFor(head, sink);
    return reader.write(head);
  };
  try {
    for await (const chunk of unpack(body)) {
      bytes += chunk.length;
      decoder ??= decoderFor(chunk);
      const isOver = bytes > maxBytes;
      const text = decoder.decode(isOver ? chunk.subarray(0, chunk.length - (bytes - maxBytes)) : chunk, {
        stream: true,
      });
      if (isOver) early = `larger than ${Math.round(maxBytes / 1_048_576)} MB: what was read is kept`;
      if (!give(text) || isOver) break;
    }
  } catch (error) {
    early = `broken off after ${bytes} bytes (${wordsOf(error)}): what was read is kept`;
  } finally {
    body.destroy();
  }
  if (reader === undefined) {
    reader = readerFor(head, sink);
    reader.write(head);
  }
  const outcome = reader.end();
  return { ...outcome, error: early ?? outcome.error, bytes: Math.min(bytes, maxBytes) };
}

function readerFor(head: string, sink: Sink): Reader {
  if (head.startsWith('<')) return new XmlReader(sink);
  return head.startsWith('{') ? new JsonFeedReader(sink) : new TextReader(sink);
}

/** Words of ours: what a socket or zlib says is not for users. */
function wordsOf(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
  if (/^Z_/.test(code)) return 'the gzip data is damaged or incomplete';
  if (/TIMEDOUT|TIMEOUT|ABORT/.test(code)) return 'it took too long';
  return 'the connection was closed';
}
