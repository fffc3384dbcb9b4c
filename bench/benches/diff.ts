import { parseArgs } from 'node:util';
import { Figures } from '../archive/figures.ts';
import { loadNow } from '../crawl/cost.ts';
import { runThrice } from '../diff/record.ts';
import { startDiffServers } from '../diff/servers.ts';
import { showGrowth, showRuns } from '../diff/show-record.ts';
import { MadeSite } from '../diff/site.ts';
import { measureWords } from '../diff/words.ts';

const SECTIONS = ['record', 'words'] as const;
type Section = (typeof SECTIONS)[number];
/** Divisor of the page count of the small run that memory growth is measured against. */
const SMALLER = 4;

const HELP = `npm run bench -- diff [--section record,words] [--pages 10000]

Builds change records of stored runs with the real archive and diff, each in its own process, on PostgreSQL, NATS and a blob
folder as users run them; crawl and scrape are fakes. Prints each figure next to its goal, and how busy the machine was.

  record  runs with one page in twenty changed: seconds from the publication of the run's end to its record, by stage, CPU, memory of diff,
          bodies opened; as in service, and where the archive has nothing else to do; for a quarter of the pages and for all of them
  words   word diff of terms of some 50 KB, and of pairs made to be slow, on the threads diff compares on

  --pages  pages of each run; the goals are set for 10,000`;

const { values } = parseArgs({
  options: {
    section: { type: 'string', default: SECTIONS.join(',') },
    pages: { type: 'string', default: '10000' },
    help: { type: 'boolean', default: false },
  },
});

/** Parses a comma-separated list of sections. @throws Error naming the unknown ones */
function sectionsOf(list: string): Set<Section> {
  const names = list.split(',').map((name) => name.trim());
  const known = SECTIONS.filter((section) => names.includes(section));
  const unknown = names.filter((name) => !known.some((section) => section === name));
  if (unknown.length > 0)
    throw new Error(`there is no section ${unknown.join(', ')}; there are ${SECTIONS.join(', ')}`);
  return new Set(known);
}

async function measureRecords(figures: Figures, pages: number): Promise<void> {
  const site = new MadeSite();
  console.log(`  texts: ${site.from}`);
  const servers = await startDiffServers();
  try {
    const small = await runThrice(servers, site, Math.floor(pages / SMALLER));
    showRuns(figures, small);
    const large = await runThrice(servers, site, pages);
    showRuns(figures, large);
    showGrowth(figures, small, large);
  } finally {
    await servers.close();
  }
}

async function main(): Promise<void> {
  const expected = sectionsOf(values.section);
  const pages = Number(values.pages);
  if (!Number.isInteger(pages) || pages < 200) throw new Error('--pages must be a whole number of at least 200');
  const figures = new Figures();
  console.log(`change records (load ${loadNow()})`);
  if (expected.has('record')) await measureRecords(figures, pages);
  if (expected.has('words')) await measureWords(figures);
  figures.print();
}

if (values.help) console.log(HELP);
else await main();
