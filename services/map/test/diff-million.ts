// Measures the comparison of two trees of a million URLs:
//   node --expose-gc --conditions=tidemark-source services/map/test/diff-million.ts [urls] [files]
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { openBlobs } from '@tidemark/blobs';
import { diffTrees, type Tree } from '../src/discovery/diff-trees.ts';
import { writeEntries } from '../src/documents/entry-document.ts';
import type { SiteFile } from '../src/domain/tree.ts';

const URLS = Number(process.argv[2] ?? 1_000_000);
const FILES = Number(process.argv[3] ?? 20);
const folder = mkdtempSync(join(tmpdir(), 'tidemark-compare-'));
const blobs = openBlobs(pathToFileURL(folder).href);

async function fileOf(number: number, shift: number, dateOf: (i: number) => string): Promise<SiteFile> {
  const urls = Math.floor(URLS / FILES);
  const entries = Array.from({ length: urls }, (_, i) => {
    const id = number * urls + i + shift;
    const url = `https://www.example.com/catalogue/department-${id % 40}/products/${id}-a-name-of-some-length`;
    return { url, lastmod: dateOf(i), changefreq: 'weekly' };
  });
  const { sha256 } = await blobs.put(Buffer.from(writeEntries(entries)));
  return {
    url: `https://www.example.com/sitemap-${number}.xml`,
    parent: '',
    foundBy: 'index',
    kind: 'sitemap',

    verdict: 'read',
    httpStatus: 200,
    bytes: 1,
    urls,
    alternates: 0,
    foreign: 0,
    section: '/catalogue/',

    lastmodFrom: '',
    lastmodTo: '',
    error: '',
    entries: sha256,
  };
}

async function treeOf(id: string, shift: number, dateOf: (i: number) => string): Promise<Tree> {
  const files: SiteFile[] = [];
  for (let number = 0; number < FILES; number += 1) files.push(await fileOf(number, shift, dateOf));
  return { snapshot: { id, complete: true, subdomains: false }, files };
}

const before = await treeOf('before', 0, () => '2026-01-01T00:00:00+00:00');
const after = await treeOf('after', URLS / 10, (i) => (i % 10 === 0 ? '2026-02-01' : '2026-01-01'));
globalThis.gc?.();
const baseMb = process.memoryUsage.rss() / 2 ** 20;
let peakMb = baseMb;
const watch = setInterval(() => {
  peakMb = Math.max(peakMb, process.memoryUsage.rss() / 2 ** 20);
}, 10);
const [startedAt, cpuBefore] = [performance.now(), process.cpuUsage()];
const { added, removed, updated } = await diffTrees(blobs, before, after);
const { user, system } = process.cpuUsage(cpuBefore);
clearInterval(watch);
rmSync(folder, { recursive: true });
const seconds = (performance.now() - startedAt) / 1_000;
const figures = { added, removed, updated, seconds, cpuSeconds: (user + system) / 1e6, moreMb: peakMb - baseMb };
process.stdout.write(`${URLS} URLs in ${FILES} files: ${JSON.stringify(figures)}\n`);
