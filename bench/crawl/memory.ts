import type { CrawlEnvelope } from '@tidemark/api';
import { startSite } from '../site/start-site.ts';
import { costOf, memoryMbOf } from './cost.ts';
import { processesOf, startBenchFleet } from './fleet.ts';
import { awaitCrawl, isEnded, startCrawl } from './run.ts';
import { type Bench, head, showCost } from './settings.ts';

const PAGES = 50_000;
const SMALL = 5_000;
const WITHIN_MS = 3_600_000;

/** A sample of a running crawl. */
interface Sample {
  readonly done: number;
  readonly seconds: number;
  readonly mb: number;
}

const peakOf = (samples: readonly Sample[]): number => Math.max(0, ...samples.map(({ mb }) => mb));

/** Prints progress after each range of pages, so that a long run can be watched and stopped early. */
function makeProgress(): (sample: Sample) => void {
  let from: Sample = { done: 0, seconds: 0, mb: 0 };
  let mb = 0;
  return (sample) => {
    mb = Math.max(mb, sample.mb);
    if (sample.done < from.done + SMALL) return;
    const speed = (sample.done - from.done) / Math.max(0.001, sample.seconds - from.seconds);
    console.log(
      `  to ${String(sample.done).padStart(6)} pages: ${speed.toFixed(1)} pages/s, at most ${mb.toFixed(0)} MB`,
    );
    from = sample;
    mb = 0;
  };
}

/** Measures, in its own fleet, the memory growth of a crawl from 5,000 to 50,000 pages. */
export async function runMemory(bench: Omit<Bench, 'fleet' | 'counted'>): Promise<void> {
  head(`memory: a site of ${PAGES} pages, generated at each request`);
  const site = await startSite({ pages: PAGES, sitemaps: 50 });
  try {
    const fleet = await startBenchFleet();
    try {
      const { admin } = await fleet.workspaces.make();
      const watched = processesOf(fleet);
      const samples: Sample[] = [];
      const printProgress = makeProgress();
      const startedAtMs = performance.now();
      const note = (now: CrawlEnvelope): boolean => {
        const seconds = (performance.now() - startedAtMs) / 1_000;
        // The memory of many processes is not read at every sample, because reading it costs CPU.
        if (seconds - (samples.at(-1)?.seconds ?? -1) < 1 && !isEnded(now)) return false;
        const sample = { done: now.progress.done, seconds, mb: memoryMbOf(watched) };
        samples.push(sample);
        printProgress(sample);
        return isEnded(now);
      };
      const { value: ended, cost } = await costOf(watched, [site.pid], async () => {
        const id = await startCrawl(admin, { url: `${site.base}/`, concurrency: bench.concurrency });
        return awaitCrawl(admin, id, note, WITHIN_MS);
      });
      showCost('Tidemark, whole fleet', ended.progress.done, cost);
      console.log(`  ended ${ended.status} (${ended.stop}); recall ${(await site.score()).recall}`);
      const [small, all] = [
        peakOf(samples.filter(({ done }) => done <= SMALL)),
        Math.max(peakOf(samples), cost.peakMb),
      ];
      bench.board.add('memoryLarge', Math.round(all));
      bench.board.add('memoryGrowth', (100 * (all - small)) / Math.max(1, small));
    } finally {
      await fleet.close();
    }
  } finally {
    site.stop();
  }
}
