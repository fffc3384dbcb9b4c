import { type Site, startSite } from '../site/start-site.ts';
import { crawleeFolder, runCrawlee } from './crawlee.ts';
import { crawlOnce } from './run.ts';
import type { Rival } from './scoreboard.ts';
import { type Bench, head, kindIn } from './settings.ts';

const PAGES = 1_000;

interface Outcome {
  readonly got: number;
  readonly tooSoon: number;
  readonly drawn: number;
}

async function outcomeOf(name: string, site: Site, seconds: number): Promise<Outcome> {
  const [score, stats] = [await site.score(), await site.stats()];
  const { got, of } = kindIn(score, 'limited');
  console.log(
    `  ${name.padEnd(22)} ${got} of ${of} limited pages, ${stats.limited429} x 429, ${stats.limitedTooSoon} too soon, ` +
      `recall ${score.recall.toFixed(4)}, ${seconds.toFixed(1)} s`,
  );
  return { got, tooSoon: stats.limitedTooSoon, drawn: stats.limited429 };
}

/** Measures a site with a section that responds once a second and sends 429 with Retry-After to further requests. */
export async function runLimited({ fleet, board, concurrency, crawlee }: Bench): Promise<void> {
  head(`limited: ${PAGES} pages, 20 of them at one request a second`);
  const site = await startSite({ pages: PAGES, rate: 1, slowMs: 50, prewarm: true });
  try {
    let rival: Outcome | undefined;
    const folder = await crawleeFolder(crawlee);
    if (folder !== undefined) {
      const { cost } = await runCrawlee(folder, site, concurrency, false);
      rival = await outcomeOf('Crawlee, 5 retries', site, cost.seconds);
    }
    await site.reset();
    const { admin } = await fleet.workspaces.make();
    const startedAtMs = performance.now();
    await crawlOnce(admin, { url: `${site.base}/`, concurrency });
    const tidemark = await outcomeOf('Tidemark', site, (performance.now() - startedAtMs) / 1_000);
    const rivalOf = (value: number | undefined): Rival | undefined =>
      value === undefined ? undefined : { name: 'Crawlee', value };
    board.add('limitedGot', tidemark.got, rivalOf(rival?.got));
    board.add('tooSoon', tidemark.tooSoon, rivalOf(rival?.tooSoon));
    board.add('drawn', tidemark.drawn, rivalOf(rival?.drawn));
  } finally {
    site.stop();
  }
}
