import type { Readable } from 'node:stream';
import type { TextDecoder } from 'node:util';
import { decoderFor } from './detect-charset.ts';
import { gunzip } from './gunzip.ts';
import { JsonFeedParser } from './json-feed-parser.ts';
import type { ParseResult, Parser, Sink } from './sink.ts';
import { TextParser } from './text-parser.ts';
import { XmlParser } from './xml-parser.ts';

export interface DocumentResult extends ParseResult {
  /** After decompression. */
  readonly bytes: number;
}

/** Characters read before the format is detected. */
const SNIFF_CHARS = 1_024;

/**
 * Parses a sitemap or feed from a stream, in constant memory. Detects gzip by the first bytes, the charset by byte order mark or XML
 * declaration, and the format (XML, JSON or text) by the first character. After an error the entries parsed so far remain valid.
 */
export async function parseDocument(body: Readable, sink: Sink, maxBytes: number): Promise<DocumentResult> {
  let bytes = 0;
  let parser: Parser | undefined;
  let head = '';
  let decoder: TextDecoder | undefined;
  let abortReason: string | undefined;
  const write = (text: string): boolean => {
    if (parser !== undefined) return parser.write(text);
    head = (head + text).trimStart();
    if (head.length < SNIFF_CHARS) return true;
    parser = parserFor(head, sink);
    return parser.write(withDoctype(head));
  };
  try {
    for await (const chunk of gunzip(body)) {
      bytes += chunk.length;
      decoder ??= decoderFor(chunk);
      const isTooLarge = bytes > maxBytes;
      const text = decoder.decode(isTooLarge ? chunk.subarray(0, chunk.length - (bytes - maxBytes)) : chunk, {
        stream: true,
      });
      if (isTooLarge)
        abortReason = `larger than ${Math.round(maxBytes / 1_048_576)} MB; the entries read so far are kept`;
      if (!write(text) || isTooLarge) break;
    }
  } catch (error) {
    abortReason = `interrupted after ${bytes} bytes (${describeError(error)}); the entries read so far are kept`;
  } finally {
    body.destroy();
  }
  if (parser === undefined) {
    parser = parserFor(head, sink);
    parser.write(withDoctype(head));
  }
  const result = parser.end();
  return { ...result, error: abortReason ?? result.error, bytes: Math.min(bytes, maxBytes) };
}

function parserFor(head: string, sink: Sink): Parser {
  if (head.startsWith('<')) return new XmlParser(sink);
  return head.startsWith('{') ? new JsonFeedParser(sink) : new TextParser(sink);
}

/** HTML has no case in its document type (HTML 13.1.1); XML has, and its parser would read no further. */
const withDoctype = (head: string): string => head.replace(/^<!doctype/i, '<!DOCTYPE');

/** Returns a description for users; messages of sockets and zlib are internal. */
function describeError(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
  if (/^Z_/.test(code)) return 'the gzip data is damaged or incomplete';
  if (/TIMEDOUT|TIMEOUT|ABORT/.test(code)) return 'reading took too long';
  return 'the connection was closed';
}
