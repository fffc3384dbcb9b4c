/**
 * Crawls a site with one scrape process and with two, each held to the same share of a core: does the second add its share?
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
import { hasPeers, PEERS, type Site, startSite } from '../crawl/site.ts';

const HELP = `npm run bench -- scale-out [--share 0.25] [--pages 800]

Crawls the same site with one scrape process, with two, and with one again. A machine of few cores has none to spare for the
second process beside site, database and the rest of the fleet; so each scrape process is held to a share of one core, as a
container's CPU limit does, and the rest has what it takes. Free cores are the share the second process brings.`;

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

/** Crawls the site for a workspace of its own: nothing is known of it. */
async function crawl(fleet: OwnFleet, site: Site, second: readonly number[]): Promise<Measured> {
  const { admin } = await fleet.workspaces.make();
  const watched = [...processesOf(fleet), ...second.map((pid) => ({ pid, name: 'scrape, the second' }))];
  const order = { url: `${site.base}/`, concurrency: CONCURRENCY };
  const { value, cost } = await costOf(watched, [site.pid], () => crawlOnce(admin, order));
  return { pages: value.pages, cost };
}

/** The same with each scrape process held to its share. */
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
  if (!hasPeers()) {
    console.log(`the peers' site server is not at ${PEERS}: nothing measured`);
    return;
  }
  const site = await startSite(['--pages', values.pages, '--prewarm']);
  try {
    const fleet = await startBenchFleet();
    try {
      head(`scale-out: ${values.pages} pages, ${values.share} cores for each scrape process`);
      await crawl(fleet, site, []); // what first pages cost in compilers and pools is not measured
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
