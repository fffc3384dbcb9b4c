import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { parseDocument } from './parse-document.ts';

const CORPORA = resolve(import.meta.dirname, '../../../../../shared/corpora');
const MAX = 50 * 1024 * 1024;
const has = existsSync(CORPORA);
const suite = has ? describe : describe.skip;
const where = has ? '' : ` (corpus absent: ${CORPORA})`;

async function read(file: string) {
  const entries: string[] = [];
  let children = 0;
  const sink = {
    entry: (loc: string, _lastmod: string, _freq: string, base = 'http://base.example/') =>
      entries.push(URL.parse(loc, base)?.href ?? loc) > 0,
    child: () => {
      children += 1;
      return true;
    },
    alternate: () => undefined,
  };
  const { kind } = await parseDocument(createReadStream(join(CORPORA, file)), sink, MAX);
  return { kind, entries, children };
}

const parse = <T>(file: string, schema: z.ZodType<T>): T[] =>
  has ? z.array(schema).parse(JSON.parse(readFileSync(join(CORPORA, file), 'utf8'))) : [];

suite(`sitemap corpus${where}`, () => {
  const Case = z.object({
    file: z.string(),
    kind: z.string(),
    entries: z.number(),
    childSitemaps: z.number().optional(),
  });
  const cases = parse('sitemaps/index.json', Case);
  it.each(cases)('parses $file as $kind with $entries entries', async (expected) => {
    const { kind, entries, children } = await read(`sitemaps/${expected.file}`);
    expect(kind === 'index' ? children : entries.length).toBe(expected.entries);
    if (expected.childSitemaps !== undefined) expect(children).toBe(expected.childSitemaps);
  });
});

suite(`feed corpus${where}`, () => {
  const LINK = /^(?:not bozo and )?entries\[0\]\['link'\] == u?'([^']*)'$/;
  const cases = parse('feeds/feedparser-index.json', z.object({ file: z.string(), expect: z.string() })).flatMap(
    ({ file, expect: expected }) => {
      const link = LINK.exec(expected)?.[1];
      // These cases set the base URL by an HTTP header, which the parser does not receive.
      return link === undefined || file.includes('http_item') ? [] : [{ file, link }];
    },
  );
  it.each(cases)('parses the link $link of $file', async ({ file, link }) => {
    expect((await read(`feeds/${file}`)).entries[0]).toBe(new URL(link, 'http://base.example/').href);
  });
});
