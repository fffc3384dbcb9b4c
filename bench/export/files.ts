import type { Figures } from '../archive/figures.ts';
import type { BenchRun } from '../archive/rows.ts';
import type { Sizes } from './destinations/databases.ts';
import { type Download, download } from './download.ts';
import { measureFloors } from './floors.ts';
import { type ExportServers, startExportServers } from './servers.ts';
import { storePages } from './store-pages.ts';

const FORMATS = [
  { dataset: 'pages', format: 'jsonl' },
  { dataset: 'pages', format: 'csv' },
  { dataset: 'pages', format: 'parquet' },
  { dataset: 'pages', format: 'xlsx' },
  { dataset: 'markdown', format: 'jsonl' },
  { dataset: 'markdown', format: 'jsonl', compression: 'zstd' },
  { dataset: 'markdown', format: 'parquet' },
  { dataset: 'markdown', format: 'zip' },
] as const;
type Request = (typeof FORMATS)[number];

/** Highest ratio of an export's CPU to the floor; of its memory at --large to that at --pages, MB; highest time to the first byte, ms. */
const GOALS = { ratio: 1.5, growthMb: 40, firstByteMs: 300 };
/** Measurements of a download, each after one of its floor: the median of their ratios counts. */
const ROUNDS = 3;
/** Downloads of the small run before the large one: the process then has the memory that a download of any size uses again. */
const WARMING = 4;

const nameOf = (request: Request): string => Object.values(request).join(' ');

/** Measures downloads of every format, or of those that `only` lists, separated by commas. */
export async function measureFiles(figures: Figures, { rows, large }: Sizes, only: string): Promise<void> {
  const formats = FORMATS.filter((request) => only === '' || only.split(',').includes(nameOf(request)));
  const servers = await startExportServers();
  try {
    const run = await storePages(servers, rows);
    await measureFloors(servers, run);
    await download(servers, run, { dataset: 'pages', format: 'jsonl' });
    for (const request of formats) await compareWithFloor(figures, servers, run, request);
    if (large === 0) return;
    const largeRun = await storePages(servers, large);
    for (const request of formats) await compareSizes(figures, servers, { run, largeRun, request });
  } finally {
    await servers.close();
  }
}

interface Round extends Download {
  readonly floorMs: number;
  readonly ratio: number;
}

async function compareWithFloor(
  figures: Figures,
  servers: ExportServers,
  run: BenchRun,
  request: Request,
): Promise<void> {
  const rounds: Round[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const { readMs, writeMs } = await measureFloors(servers, run);
    const floorMs = readMs + writeMs;
    const measured = await download(servers, run, request);
    rounds.push({ ...measured, floorMs, ratio: measured.cpuMs / floorMs });
  }
  const median = rounds.toSorted((a, b) => a.ratio - b.ratio)[Math.floor(ROUNDS / 2)];
  if (median === undefined) throw new Error('nothing was measured');
  const { ratio, cpuMs, floorMs, seconds, bytes, firstByteMs } = median;
  const peakMb = Math.max(...rounds.map((round) => round.peakMb));
  const cost = `${Math.round(cpuMs)} of ${Math.round(floorMs)} ms CPU, ${seconds.toFixed(1)} s, ${(bytes / 1e6).toFixed(1)} MB`;
  const figure = `${ratio.toFixed(2)} x floor, ${cost}, ${Math.round(peakMb)} MB PSS`;
  const what = nameOf(request);
  if (what.endsWith('jsonl')) figures.add(what, figure, `<= ${GOALS.ratio} x`, ratio <= GOALS.ratio);
  else figures.add(what, figure);
  figures.add(`${what}: first byte`, `${Math.round(firstByteMs)} ms`);
}

interface Compared {
  readonly run: BenchRun;
  readonly largeRun: BenchRun;
  readonly request: Request;
}

async function compareSizes(
  figures: Figures,
  servers: ExportServers,
  { run, largeRun, request }: Compared,
): Promise<void> {
  const what = nameOf(request);
  let smallMb = 0;
  for (let round = 0; round < WARMING; round += 1)
    smallMb = Math.max(smallMb, (await download(servers, run, request)).peakMb);
  const { firstByteMs, peakMb } = await download(servers, largeRun, request);
  const growth = Math.max(0, peakMb - smallMb);
  const { growthMb } = GOALS;
  const figure = `${growth.toFixed(0)} MB, from ${smallMb.toFixed(0)}`;
  const rows = `from ${run.site} to ${largeRun.site} rows`;
  figures.add(`${what}: growth of export ${rows}`, figure, `<= ${growthMb} MB`, growth <= growthMb);
  if (request.format !== 'jsonl') return;
  const isFast = firstByteMs <= GOALS.firstByteMs;
  const first = `${Math.round(firstByteMs)} ms`;
  figures.add(`${what}: first byte of ${largeRun.site} rows`, first, `<= ${GOALS.firstByteMs} ms`, isFast);
}
