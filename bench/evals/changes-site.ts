import { parseArgs } from 'node:util';
import { CHANGES, type Goal, hasChanges } from '../changes/compare-readings.ts';
import { editRecords } from '../changes/run-edits.ts';
import { siteRecords } from '../changes/run-generations.ts';
import { luceneRecords } from '../changes/run-lucene.ts';
import { loadNow } from '../crawl/cost.ts';
import { startBenchFleet } from '../crawl/fleet.ts';
import { notMeasured } from '../shared/not-measured.ts';
import { printTable } from '../shared/table.ts';

const HELP = `npm run eval -- changes-site [--section edits,site,lucene] [--pages 1500]

Scores change records end to end: a project over the whole fleet, its runs, and the result of GET /changes compared with the known truth.

  edits   a site of its own that is edited 1 to 60 seconds after the first run, beside content that differs on every visit
  site    the test site of bench/site, generation 1 to 2: pages modified, added and removed, and each class of what is no change
  lucene  twenty publishes of lucene.apache.org, a run on each: entries in all, pages added and removed (some three minutes)

  --pages  pages of the test site`;

const { values } = parseArgs({
  options: {
    section: { type: 'string', default: 'edits,site,lucene' },
    pages: { type: 'string', default: '1500' },
    help: { type: 'boolean', default: false },
  },
});
const SECTIONS = ['edits', 'site', 'lucene'];
const SERVICES = ['identity', 'billing', 'archive', 'scrape', 'map', 'crawl', 'projects', 'diff', 'gateway'] as const;

async function main(): Promise<void> {
  const sections = values.section.split(',').map((name) => name.trim());
  const unknown = sections.filter((name) => !SECTIONS.includes(name));
  if (unknown.length > 0)
    throw new Error(`there is no section ${unknown.join(', ')}; there are ${SECTIONS.join(', ')}`);
  const goals: Goal[] = [];
  console.log(`change records, end to end (load ${loadNow()})`);
  const fleet = await startBenchFleet(SERVICES);
  try {
    const { admin } = await fleet.workspaces.make();
    if (sections.includes('edits')) goals.push(...(await editRecords(admin)));
    if (sections.includes('site')) goals.push(...(await siteRecords(admin, Number(values.pages))));
    if (sections.includes('lucene')) {
      if (hasChanges()) goals.push(...(await luceneRecords(admin)));
      else notMeasured('lucene', `there are no labelled pairs at ${CHANGES}`);
    }
  } finally {
    await fleet.close();
  }
  printTable(
    ['figure and goal', 'Tidemark', ''],
    goals.map(({ name, text, met }) => [name, text, met ? 'met' : 'MISSED']),
  );
  if (goals.some(({ met }) => !met)) process.exitCode = 1;
}

if (values.help) console.log(HELP);
else await main();
