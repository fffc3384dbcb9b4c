import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { countCpuMs } from '@tidemark/testkit';
import { rowsOf } from '@tidemark/testkit/cases/rule-cases';
import { HOSTILE_XML, SITEMAPS, type SitemapCase } from '@tidemark/testkit/cases/sitemaps';
import { parseDocument } from './parse-document.ts';

const MAX = 50 * 1024 * 1024;
const BASE = 'http://base.example/';
const CHUNK = 64 * 1024;
/** Most CPU time of a hostile document, ms: the largest has two megabytes. */
const MOST_CPU_MS = 2_000;

async function read(content: string | Uint8Array, encoding: BufferEncoding = 'utf8') {
  const bytes = typeof content === 'string' ? Buffer.from(content, encoding) : Buffer.from(content);
  const chunks = Array.from({ length: Math.ceil(bytes.length / CHUNK) }, (_, at) =>
    bytes.subarray(at * CHUNK, (at + 1) * CHUNK),
  );
  const urls: string[] = [];
  const add = (loc: string, base = BASE): boolean =>
    urls.push(URL.parse(loc, new URL(base, BASE).href)?.href ?? loc) > 0;
  const sink = {
    entry: (loc: string, _lastmod: string, _freq: string, base?: string) => add(loc, base),
    child: (loc: string) => add(loc),
    alternate: () => undefined,
  };
  const { kind } = await parseDocument(Readable.from(chunks), sink, MAX);
  return { kind, urls };
}

const titled = (rows: readonly (readonly [string, SitemapCase])[]) =>
  rows.map(([rule, one]) => [rule, one.title, one] as const);

describe('parseDocument', () => {
  it.each(titled(rowsOf(SITEMAPS)))('reads by the rule that %s: %s', async (_rule, _title, one) => {
    expect(await read(one.content)).toEqual({ kind: one.kind, urls: one.urls });
  });

  it.each(rowsOf(HOSTILE_XML).map(([rule, [title, xml]]) => [rule, title, xml] as const))(
    'ends in bounded time with a hostile document and reads nothing beside it: %s: %s',
    async (_rule, _title, xml) => {
      const spentMs = countCpuMs();
      const { urls } = await read(xml, 'latin1');
      expect(spentMs()).toBeLessThan(MOST_CPU_MS);
      expect(urls.filter((url) => url.length > 20_000 || /root:x:0|\[fonts\]/.test(url))).toEqual([]);
    },
  );
});
