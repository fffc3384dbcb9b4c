import type { CrawlEnvelope } from '@tidemark/api';
import { costOf, memoryMbOf } from './cost.ts';
import { processesOf, startBenchFleet } from './fleet.ts';
import { awaitCrawl, isEnded, startCrawl } from './run.ts';
import { type Bench, head, showCost } from './settings.ts';
import { startSite } from './site.ts';

const PAGES = 50_000;
const SMALL = 5_000;
const WITHIN_MS = 3_600_000;

/** One look at a crawl under way. */
interface Look {
  readonly done: number;
  readonly seconds: number;
  readonly mb: number;
}

const peakOf = (looks: readonly Look[]): number => Math.max(0, ...looks.map(({ mb }) => mb));

/** Tells of each stretch of the crawl as it ends: a run this long is watched, and may be ended early. */
function stretchTeller(): (look: Look) => void {
  let from: Look = { done: 0, seconds: 0, mb: 0 };
  let mb = 0;
  return (look) => {
    mb = Math.max(mb, look.mb);
    if (look.done < from.done + SMALL) return;
    const speed = (look.done - from.done) / Math.max(0.001, look.seconds - from.seconds);
    console.log(
      `  to ${String(look.done).padStart(6)} pages: ${speed.toFixed(1)} pages/s, at most ${mb.toFixed(0)} MB`,
    );
    from = look;
    mb = 0;
  };
}

/** A large site, in a fleet of its own: what it takes at 50,000 pages beyond what it took at 5,000. */
export async function runMemory(bench: Omit<Bench, 'fleet' | 'counted'>): Promise<void> {
  head(`memory: a site of ${PAGES} pages, which it makes as they are asked for`);
  const site = await startSite(['--pages', String(PAGES), '--sitemaps', '50']);
  try {
    const fleet = await startBenchFleet();
    try {
      const { admin } = await fleet.workspaces.make();
      const watched = processesOf(fleet);
      const looks: Look[] = [];
      const tell = stretchTeller();
      const startedAtMs = performance.now();
      const note = (now: CrawlEnvelope): boolean => {
        const seconds = (performance.now() - startedAtMs) / 1_000;
        // The weight of many processes is not read at every look: that is work of its own.
        if (seconds - (looks.at(-1)?.seconds ?? -1) < 1 && !isEnded(now)) return false;
        const look = { done: now.progress.done, seconds, mb: memoryMbOf(watched) };
        looks.push(look);
        tell(look);
        return isEnded(now);
      };
      const { value: ended, cost } = await costOf(watched, [site.pid], async () => {
        const id = await startCrawl(admin, { url: `${site.base}/`, concurrency: bench.concurrency });
        return awaitCrawl(admin, id, note, WITHIN_MS);
      });
      showCost('Tidemark, whole fleet', ended.progress.done, cost);
      console.log(`  ended ${ended.status} (${ended.stop}); recall ${(await site.score()).recallHttp}`);
      const [small, all] = [peakOf(looks.filter(({ done }) => done <= SMALL)), Math.max(peakOf(looks), cost.peakMb)];
      bench.board.add('memoryLarge', Math.round(all));
      bench.board.add('memoryGrowth', (100 * (all - small)) / Math.max(1, small));
    } finally {
      await fleet.close();
    }
  } finally {
    site.stop();
  }
}
