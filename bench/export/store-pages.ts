import { newId } from '@tidemark/contracts';
import { PageBodies } from '@tidemark/contracts/page/v1/page';
import { type BenchPage, type BenchRun, pageOf } from '../archive/rows.ts';
import { openWriter } from '../archive/write.ts';
import type { ExportServers } from './servers.ts';

const WORDS = 'the tide rises over the harbour and boats return before the storm with nets full of herring'.split(' ');
/** Characters of markdown of a page. */
const MARKDOWN = 5_000;
/** Bytes of the other bodies of a document: a stored document of 20 KB. */
const OTHER_BODIES = 15_000;
const AT_ONCE = 16;
const BATCH = 2_000;

/** Stores a finished run of pages with documents of 20 KB: 5 KB of markdown, a head, two fields, and blocks. */
export async function storePages({ pool, blobs, peers }: ExportServers, pages: number): Promise<BenchRun> {
  const run: BenchRun = { workspaceId: newId('ws'), projectId: newId('prj'), runId: newId('run'), site: pages };
  const writer = openWriter(pool);
  const all: BenchPage[] = [];
  for (let from = 0; from < pages; from += BATCH) {
    const batch: BenchPage[] = [];
    for (let at = from; at < Math.min(from + BATCH, pages); at += AT_ONCE) {
      const numbers = Array.from({ length: Math.min(AT_ONCE, pages - at) }, (_, index) => at + index);
      batch.push(...(await Promise.all(numbers.map((number) => storedPage(blobs, run, number)))));
    }
    await writer.record(run, batch);
    all.push(...batch);
  }
  await writer.list(run, all);
  peers.add(run, []);
  return run;
}

async function storedPage(blobs: ExportServers['blobs'], run: BenchRun, number: number): Promise<BenchPage> {
  const bodies = PageBodies.create({
    markdown: markdownOf(number),
    headJson: JSON.stringify({ title: `Page ${number}`, description: `What page ${number} is about`, lang: 'en' }),
    fieldsJson: JSON.stringify({ price: number / 100, tags: ['a', 'b'] }),
    // Bodies that a capture stores besides: a dataset does not read them, but the document has them.
    blocks: Buffer.from(textOf(number, OTHER_BODIES)),
  });
  const content = await blobs.put(PageBodies.encode(bodies).finish());
  return pageOf(run, number, { content, formats: ['markdown'] });
}

export const markdownOf = (number: number): string => textOf(number, MARKDOWN);

/** Returns text that differs from page to page and compresses about as well as prose. */
function textOf(number: number, length: number): string {
  let text = `# Page ${number}\n\n`;
  for (let seed = number + 1; text.length < length; ) {
    // A linear congruential generator (Numerical Recipes): the same text in every run of the benchmark.
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    text += `${WORDS[(seed >>> 8) % WORDS.length]}${(seed >>> 16) % 9 === 0 ? `-${(seed >>> 20).toString(36)}` : ''} `;
  }
  return text;
}
