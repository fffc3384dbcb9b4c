import { addressesFrom } from '../site/addresses.ts';
import { SITE_HOST, type Site, startSite } from '../site/start-site.ts';
import { crawlOnce } from './run.ts';
import { type Bench, head } from './settings.ts';

const PAGES = 200;
const FAST_HOSTS = 9;
const SLOW_HOST = '127.0.0.11';
const SLOW_LATENCY_MS = 5_000;

/** Crawls sites at the same time. @returns seconds until each ended */
async function crawlTogether({ fleet, concurrency }: Bench, bases: readonly string[]): Promise<Map<string, number>> {
  // A new workspace: captures of another crawl would make requests conditional.
  const { admin } = await fleet.workspaces.make();
  const startedAtMs = performance.now();
  const ended = await Promise.all(
    bases.map(async (base) => {
      const { pages, status } = await crawlOnce(admin, { url: `${base}/`, concurrency });
      if (status !== 'done' || pages < 1) throw new Error(`the crawl of ${base} ended ${status} with ${pages} pages`);
      return [base, (performance.now() - startedAtMs) / 1_000] as const;
    }),
  );
  return new Map(ended);
}

const longest = (times: ReadonlyMap<string, number>, bases: readonly string[]): number =>
  Math.max(...bases.map((base) => times.get(base) ?? 0));

function hostsOf(site: Site): string[] {
  const { port } = new URL(site.base);
  return addressesFrom(SITE_HOST, FAST_HOSTS).map((host) => `http://${host}:${port}`);
}

/** Crawls ten hosts, one of which takes 5 s per response, and checks that it delays no other. */
export async function runHosts(bench: Bench): Promise<void> {
  head(`hosts: nine of ${PAGES} pages, and one that takes 5 s for each`);
  const fast = await startSite({ pages: PAGES, prewarm: true }, { hosts: FAST_HOSTS });
  try {
    const slow = await startSite({ pages: PAGES, latencyMs: SLOW_LATENCY_MS }, { host: SLOW_HOST });
    try {
      const nine = hostsOf(fast);
      await crawlTogether(bench, nine.slice(0, 1)); // warm-up
      const nineAlone = longest(await crawlTogether(bench, nine), nine);
      const slowAlone = longest(await crawlTogether(bench, [slow.base]), [slow.base]);
      await slow.reset();
      const together = await crawlTogether(bench, [slow.base, ...nine]);
      const [all, nineWithSlow] = [longest(together, [slow.base, ...nine]), longest(together, nine)];
      console.log(
        `  the nine alone ${nineAlone.toFixed(1)} s, with the slow one ${nineWithSlow.toFixed(1)} s; ` +
          `the slow one alone ${slowAlone.toFixed(1)} s, all ten ${all.toFixed(1)} s, ` +
          `recall of the slow one ${(await slow.score()).recall}`,
      );
      bench.board.add('slowHost', all / slowAlone);
      bench.board.add('fastHosts', nineWithSlow / nineAlone);
    } finally {
      slow.stop();
    }
  } finally {
    fast.stop();
  }
}
