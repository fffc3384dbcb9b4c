import { newId } from '@tidemark/contracts';
import { PageBodies } from '@tidemark/contracts/page/v1/page';
import { makeSketchBatch } from '../../services/archive/src/listing/sketch-words.ts';
import { RunPageStore } from '../../services/archive/src/store/run-page-store.ts';
import { RunStore } from '../../services/archive/src/store/run-store.ts';
import type { Figures } from './figures.ts';
import { type BenchPage, type BenchRun, pageOf } from './rows.ts';
import type { ArchiveServers } from './servers.ts';
import type { Text } from './texts.ts';
import { openWriter } from './write.ts';

export interface StoredRun {
  readonly texts: readonly Text[];
  readonly pages: number;
  readonly withHtml: boolean;
}

const SITE = 1_000;
const AT_ONCE = 16;

/** A run whose pages have their bodies in the blob store, each a little different from every other, and their words sketched. */
export async function storeRun(servers: ArchiveServers, expected: StoredRun, figures: Figures): Promise<BenchRun> {
  const { pool, blobs } = servers;
  const run: BenchRun = { workspaceId: newId('ws'), projectId: newId('prj'), runId: newId('run'), site: SITE };
  const pages: BenchPage[] = [];
  for (let from = 0; from < expected.pages; from += AT_ONCE) {
    const numbers = Array.from({ length: Math.min(AT_ONCE, expected.pages - from) }, (_, i) => from + i);
    pages.push(...(await Promise.all(numbers.map((i) => storedPage(servers, run, expected, i)))));
  }
  const writer = openWriter(pool);
  await writer.record(run, pages);
  await writer.list(run, pages);
  const [runs, store] = [new RunStore(pool), new RunPageStore(pool)];
  const sketchBatch = makeSketchBatch({ blobs, runs, pages: store });
  const startedAtMs = performance.now();
  let at = await runs.find(run.workspaceId, run.runId);
  while (at !== undefined) {
    const step = await sketchBatch(at);
    at = step?.next === 'more' ? step.run : undefined;
  }
  const seconds = (performance.now() - startedAtMs) / 1_000;
  figures.add(
    `words of ${expected.pages} stored pages sketched, in the background`,
    `${Math.round(expected.pages / seconds)} pages/s`,
  );
  return run;
}

async function storedPage(
  { blobs }: ArchiveServers,
  run: BenchRun,
  { texts, withHtml }: StoredRun,
  i: number,
): Promise<BenchPage> {
  const text = texts[i % texts.length];
  if (text === undefined) throw new Error('there are no texts');
  const markdown = `${text.markdown}\n\nPage number marker${i}.\n`;
  const bodies = PageBodies.create({ markdown, ...(withHtml ? { rawHtml: `${text.html}<!-- ${i} -->` } : {}) });
  const content = await blobs.put(PageBodies.encode(bodies).finish());
  const formats = withHtml ? ['markdown', 'rawHtml'] : ['markdown'];
  return pageOf(run, i, { verdict: 'ok', content, formats, words: text.words });
}
