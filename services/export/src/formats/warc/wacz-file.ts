import { createHash } from 'node:crypto';
import type { DatasetRow as Row } from '@tidemark/datasets';
import { type ZipEntry, zipEntries } from '../zip/zip-entries.ts';
import { surtKey } from './surt-key.ts';
import { encodeWarc, type WrittenPage } from './warc-file.ts';

const WARC = 'archive/data.warc.gz';

/** One file of the package, for its list with hashes. */
interface Resource {
  readonly name: string;
  readonly path: string;
  readonly hash: string;
  readonly bytes: number;
}

/** Encodes pages as a WACZ file (WACZ 1.1.1): an uncompressed ZIP with the WARC, its index, the list of pages and the hashes of the files. */
export function encodeWacz(batches: AsyncIterable<readonly Row[]>): AsyncGenerator<Uint8Array> {
  return zipEntries(entries(batches), 0);
}

async function* entries(batches: AsyncIterable<readonly Row[]>): AsyncGenerator<ZipEntry> {
  const resources: Resource[] = [];
  const index: string[] = [];
  const pages = ['{"format": "json-pages-1.0", "id": "pages", "title": "All pages"}'];
  const onPage = (page: WrittenPage): void => {
    if (!page.isIndexed) return;
    index.push(indexLine(page));
    pages.push(JSON.stringify({ url: page.url, ts: page.at.toISOString(), title: page.title }));
  };
  yield { name: WARC, content: counted(encodeWarc(batches, onPage), WARC, resources) };
  index.sort();
  yield { name: 'indexes/index.cdx', content: counted(chunks(index), 'indexes/index.cdx', resources) };
  yield { name: 'pages/pages.jsonl', content: counted(chunks(pages), 'pages/pages.jsonl', resources) };
  const described = JSON.stringify(
    { profile: 'data-package', wacz_version: '1.1.1', software: 'Tidemark', resources },
    undefined,
    2,
  );
  yield { name: 'datapackage.json', content: described };
  const hash = `sha256:${createHash('sha256').update(described).digest('hex')}`;
  yield { name: 'datapackage-digest.json', content: JSON.stringify({ path: 'datapackage.json', hash }) };
}

/** A line of the index (CDXJ): sortable URL, time, and the place of the record. */
function indexLine({ url, at, mediaType, status, digest, offset, length }: WrittenPage): string {
  const fields = {
    url,
    mime: mediaType,
    status: String(status),
    digest,
    length: String(length),
    offset: String(offset),
    filename: 'data.warc.gz',
  };
  return `${surtKey(url)} ${at.toISOString().replace(/\D/g, '').slice(0, 14)} ${JSON.stringify(fields)}`;
}

/** Passes the chunks of a file on, and adds the file to the resources at its end. */
async function* counted(
  source: AsyncIterable<string | Uint8Array>,
  path: string,
  resources: Resource[],
): AsyncGenerator<string | Uint8Array> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of source) {
    hash.update(chunk);
    bytes += Buffer.byteLength(chunk);
    yield chunk;
  }
  resources.push({ name: path.split('/').at(-1) ?? path, path, hash: `sha256:${hash.digest('hex')}`, bytes });
}

const LINES = 1_000;

async function* chunks(lines: readonly string[]): AsyncGenerator<string> {
  for (let from = 0; from < lines.length; from += LINES) yield `${lines.slice(from, from + LINES).join('\n')}\n`;
}
