import { parseArgs } from 'node:util';
import { scoreEstimates } from '../coverage/score-estimates.ts';
import { estimateOfSite } from '../coverage/site-through-api.ts';
import { startBenchFleet } from '../crawl/fleet.ts';

const HELP = `npm run eval -- coverage [--section generated,site] [--seeds 500] [--pages 1500]

Compares estimated numbers of pages with the truth. Needs no corpora.

  generated  generated sites whose sources lose pages at random, by section, by depth, together, and by the age of a page
  site       the test site of bench/site, crawled by a project over the whole fleet

  --seeds  generated sites
  --pages  pages of the test site`;

const { values } = parseArgs({
  options: {
    section: { type: 'string', default: 'generated,site' },
    seeds: { type: 'string', default: '500' },
    pages: { type: 'string', default: '1500' },
    help: { type: 'boolean', default: false },
  },
});
const SERVICES = ['identity', 'billing', 'archive', 'scrape', 'map', 'crawl', 'projects', 'gateway'] as const;

async function measureSite(): Promise<boolean> {
  const fleet = await startBenchFleet(SERVICES);
  try {
    const { admin } = await fleet.workspaces.make();
    return await estimateOfSite(admin, Number(values.pages));
  } finally {
    await fleet.close();
  }
}

async function main(): Promise<void> {
  const sections = values.section.split(',').map((name) => name.trim());
  const unknown = sections.filter((name) => name !== 'generated' && name !== 'site');
  if (unknown.length > 0) throw new Error(`there is no section ${unknown.join(', ')}; there are generated, site`);
  const met: boolean[] = [];
  if (sections.includes('generated')) met.push(await scoreEstimates(Number(values.seeds)));
  if (sections.includes('site')) met.push(await measureSite());
  if (met.includes(false)) process.exitCode = 1;
}

if (values.help) console.log(HELP);
else await main();
