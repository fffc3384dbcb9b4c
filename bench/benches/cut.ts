// Measures the cost of cutting a page into blocks: the same pages read with and without, in turns, in one process.
// The ratio is the figure; times depend on the machine and its load.
import { packBlob } from '@tidemark/blobs';
import { PageBlocks } from '@tidemark/contracts/page/v1/blocks';
import { PageBodies } from '@tidemark/contracts/page/v1/page';
import type { ReadTask } from '@tidemark/page-reader';
import { readBody, USUAL_CONTENT } from '@tidemark/page-reader';
import { type BenchPage, sitePages } from '../shared/generated-pages.ts';

const WARM_READINGS = 600;

interface Variant {
  readonly label: string;
  /** Absent: the page is not cut into blocks. */
  readonly volatileSelectors?: readonly string[];
}

const PLAIN: Variant = { label: 'not cut' };
const CUT: Variant = { label: 'cut', volatileSelectors: [] };
const VARIANTS = [PLAIN, CUT, { label: 'cut, parts set aside', volatileSelectors: ['footer', '.date'] }];

const taskOf = ({ url, body }: BenchPage, { volatileSelectors }: Variant): ReadTask => ({
  body,
  contentType: 'text/html',
  status: 200,
  headers: {},
  requestedUrl: url,
  landedUrl: url,
  rendered: false,
  languages: [],
  content: USUAL_CONTENT,
  parseDocuments: true,
  output: 'bodies',
  minWords: 0,
  formats: ['markdown', 'cleanHtml', 'links'],
  ...(volatileSelectors === undefined ? {} : { cut: { volatileSelectors } }),
});

/** Reads and packs a page as a capture does. @returns CPU milliseconds @returns CPU milliseconds */
async function cpuMsOf(task: ReadTask): Promise<number> {
  const start = process.cpuUsage();
  packBlob((await readBody(task)).bodies);
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000;
}

/** Returns, by variant, the CPU milliseconds of every page: the median of its readings. */
async function measure(pages: readonly BenchPage[], rounds: number): Promise<number[][]> {
  const readings = VARIANTS.map(() => pages.map((): number[] => []));
  for (let round = -Math.ceil(WARM_READINGS / pages.length); round < rounds; round++)
    for (const [at, variant] of VARIANTS.entries())
      for (const [number, page] of pages.entries()) {
        const cpuMs = await cpuMsOf(taskOf(page, variant));
        if (round >= 0) readings[at]?.[number]?.push(cpuMs);
      }
  return readings.map((ofPages) => ofPages.map(median));
}

/** Returns the bytes of a page's stored bodies with and without blocks, and the number of blocks. */
async function sizes(page: BenchPage): Promise<{ plain: number; cut: number; blocks: number }> {
  const [plain, cut] = [await readBody(taskOf(page, PLAIN)), await readBody(taskOf(page, CUT))];
  const { blocks } = PageBodies.decode(cut.bodies);
  return {
    plain: packBlob(plain.bodies).packed.length,
    cut: packBlob(cut.bodies).packed.length,
    blocks: blocks === undefined ? 0 : PageBlocks.decode(blocks).blocks.length,
  };
}

async function report(name: string, pages: readonly BenchPage[], rounds: number): Promise<void> {
  console.log(`${name}: ${pages.length} pages of ${Math.round(mean(pages.map(({ body }) => body.length)) / 1_000)} KB`);
  const [plain = [], ...others] = await measure(pages, rounds);
  console.log(`  ${PLAIN.label.padEnd(22)}${mean(plain).toFixed(3)} ms CPU a page`);
  for (const [at, each] of others.entries()) {
    const [label, added] = [VARIANTS[at + 1]?.label ?? '', mean(each) - mean(plain)];
    const ratio = (mean(each) / mean(plain)).toFixed(2);
    console.log(`  ${label.padEnd(22)}${mean(each).toFixed(3)}, +${added.toFixed(3)}, ${ratio} times`);
  }
  const stored = await Promise.all(pages.map(sizes));
  const [before, after] = [mean(stored.map(({ plain }) => plain)), mean(stored.map(({ cut }) => cut))];
  const blocks = Math.round(mean(stored.map((page) => page.blocks)));
  console.log(`  stored: ${Math.round(before)} bytes, with ${blocks} blocks ${Math.round(after)}`);
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

await report('test site', sitePages(), 10);
