/**
 * Crawls a site with one scrape process and with two, each limited to the same share of a core, and compares the speeds.
 *
 *   npm run bench -- scale-out [--share 0.25] [--pages 800]
 */
import { parseArgs } from 'node:util';
import { type OwnFleet, serviceOf } from '../../test/harness/fleet.ts';
import { type Cost, costOf } from '../crawl/cost.ts';
import { holdToShare } from '../crawl/cpu-share.ts';
import { processesOf, startBenchFleet } from '../crawl/fleet.ts';
import { crawlOnce } from '../crawl/run.ts';
import { Scoreboard } from '../crawl/scoreboard.ts';
import { head, showCost } from '../crawl/settings.ts';
import { type Site, startSite } from '../site/start-site.ts';

const HELP = `npm run bench -- scale-out [--share 0.25] [--pages 800]

Crawls the same site with one scrape process, with two, and with one again. A machine with few cores has none left for the
second process next to site, database and the rest of the fleet. So each scrape process is limited to a share of one core, as by a
container's CPU limit, and the rest is not limited. The second process adds its share.`;

const CONCURRENCY = 50;
const { values } = parseArgs({
  options: {
    share: { type: 'string', default: '0.25' },
    pages: { type: 'string', default: '800' },
    help: { type: 'boolean', default: false },
  },
});

interface Measured {
  readonly pages: number;
  readonly cost: Cost;
}

/** Crawls the site for a new workspace, which has no earlier captures of it. */
async function crawl(fleet: OwnFleet, site: Site, second: readonly number[]): Promise<Measured> {
  const { admin } = await fleet.workspaces.make();
  const watched = [...processesOf(fleet), ...second.map((pid) => ({ pid, name: 'scrape, the second' }))];
  const order = { url: `${site.base}/`, concurrency: CONCURRENCY };
  const { value, cost } = await costOf(watched, [site.pid], () => crawlOnce(admin, order));
  return { pages: value.pages, cost };
}

/** Crawls with each scrape process limited to its share of a core. */
async function crawlHeld(name: string, fleet: OwnFleet, site: Site, second: readonly number[]): Promise<number> {
  const share = Number(values.share);
  const release = [serviceOf(fleet, 'scrape').pid, ...second].map((pid) => holdToShare(pid, share));
  try {
    const { pages, cost } = await crawl(fleet, site, second);
    showCost(name, pages, cost);
    const taken = [...cost.cpuMsByName].filter(([part]) => part.startsWith('scrape'));
    const cores = taken.map(([part, ms]) => `${part} ${(ms / 1_000 / cost.seconds).toFixed(2)}`);
    console.log(`  cores: ${cores.join(', ')}; the whole fleet ${(cost.cpuMs / 1_000 / cost.seconds).toFixed(2)}`);
    return pages / cost.seconds;
  } finally {
    for (const letGo of release) letGo();
  }
}

async function main(): Promise<void> {
  const site = await startSite({ pages: Number(values.pages), prewarm: true });
  try {
    const fleet = await startBenchFleet();
    try {
      head(`scale-out: ${values.pages} pages, ${values.share} cores for each scrape process`);
      await crawl(fleet, site, []); // warm-up
      const before = await crawlHeld('one scrape process', fleet, site, []);
      const second = await fleet.replica('scrape');
      await crawl(fleet, site, [second.pid]);
      const two = await crawlHeld('two scrape processes', fleet, site, [second.pid]);
      await second.stop();
      const after = await crawlHeld('one scrape process', fleet, site, []);
      const board = new Scoreboard();
      board.add('scaleOut', (2 * two) / (before + after));
      board.print();
    } finally {
      await fleet.close();
    }
  } finally {
    site.stop();
  }
}

if (values.help) console.log(HELP);
else await main();
