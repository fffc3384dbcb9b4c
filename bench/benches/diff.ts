import { parseArgs } from 'node:util';
import { Figures } from '../archive/figures.ts';
import { loadNow } from '../crawl/cost.ts';
import { runThrice } from '../diff/record.ts';
import { layDiffGround } from '../diff/servers.ts';
import { showGrowth, showRuns } from '../diff/show-record.ts';
import { MadeSite } from '../diff/site.ts';
import { measureWords } from '../diff/words.ts';

const SECTIONS = ['record', 'words'] as const;
type Section = (typeof SECTIONS)[number];
/** How much smaller a run has to be to show whether memory grows. */
const SMALLER = 4;

const HELP = `npm run bench -- diff [--section record,words] [--pages 10000]

Makes change records of stored runs through the real archive and diff, each in a process of its own, on PostgreSQL, NATS and a blob
folder as users run them; crawl and scrape are made up. Prints each figure beside its goal, and how busy the machine was.

  record  runs with one page in twenty changed: seconds from the end of the run being told to its record, by stage, CPU, memory of diff,
          bodies opened; as in service, and where the archive has nothing else to do; for a quarter of the pages and for all of them
  words   word diff of real terms of some 50 KB, and of pairs made to be slow, on the threads diff compares on

  --pages  pages of each run; the goals are set for 10,000`;

const { values } = parseArgs({
  options: {
    section: { type: 'string', default: SECTIONS.join(',') },
    pages: { type: 'string', default: '10000' },
    help: { type: 'boolean', default: false },
  },
});

/** The sections asked for. @throws Error naming what there is none of */
function sectionsOf(told: string): Set<Section> {
  const names = told.split(',').map((name) => name.trim());
  const known = SECTIONS.filter((section) => names.includes(section));
  const unknown = names.filter((name) => !known.some((section) => section === name));
  if (unknown.length > 0)
    throw new Error(`there is no section ${unknown.join(', ')}; there are ${SECTIONS.join(', ')}`);
  return new Set(known);
}

async function measureRecords(figures: Figures, pages: number): Promise<void> {
  const site = new MadeSite();
  console.log(`  texts: ${site.from}`);
  const ground = await layDiffGround();
  try {
    const small = await runThrice(ground, site, Math.floor(pages / SMALLER));
    showRuns(figures, small);
    const large = await runThrice(ground, site, pages);
    showRuns(figures, large);
    showGrowth(figures, small, large);
  } finally {
    await ground.close();
  }
}

async function main(): Promise<void> {
  const wanted = sectionsOf(values.section);
  const pages = Number(values.pages);
  if (!Number.isInteger(pages) || pages < 200) throw new Error('--pages is a whole number, 200 at least');
  const figures = new Figures();
  console.log(`change records (load ${loadNow()})`);
  if (wanted.has('record')) await measureRecords(figures, pages);
  if (wanted.has('words')) await measureWords(figures);
  figures.print();
}

if (values.help) console.log(HELP);
else await main();
