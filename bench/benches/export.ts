import { parseArgs } from 'node:util';
import { Figures } from '../archive/figures.ts';
import { download } from '../export/download.ts';
import { measureFloors } from '../export/floors.ts';
import { startExportServers } from '../export/servers.ts';
import { storePages } from '../export/store-pages.ts';

const HELP = `npm run bench -- export [--section files] [--pages 10000] [--large 100000]

Downloads datasets of a run whose pages have 5 KB of markdown each. CPU is the sum of archive, export and PostgreSQL; a floor is measured
in the same run: each document read and decoded once, and its row written as JSON.

  files     every format: CPU next to the floor, first byte, and memory of export at --pages and at --large

  --large   0: leave out the large run`;

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
/** Highest ratio of an export's CPU to the floor; of its memory at --large to that at --pages, MB; highest time to the first byte, ms. */
const GOALS = { ratio: 1.5, growthMb: 40, firstByteMs: 300 };

const { values } = parseArgs({
  options: {
    section: { type: 'string', default: 'files' },
    pages: { type: 'string', default: '10000' },
    large: { type: 'string', default: '100000' },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) console.log(HELP);
else if (values.section !== 'files') throw new Error(`there is no section ${values.section}; expected files`);
else await measureFiles(Number(values.pages), Number(values.large));

async function measureFiles(pages: number, large: number): Promise<void> {
  const figures = new Figures();
  const servers = await startExportServers();
  try {
    const run = await storePages(servers, pages);
    const { readMs, writeMs } = await measureFloors(servers.pool, servers.blobs, run);
    const floorMs = readMs + writeMs;
    figures.add(
      'floor: documents read and decoded, rows written',
      `${Math.round(readMs)} + ${Math.round(writeMs)} ms CPU`,
    );
    await download(servers, run, { dataset: 'pages', format: 'jsonl' });
    const peaks = new Map<string, number>();
    for (const request of FORMATS) {
      const what = Object.values(request).join(' ');
      const { bytes, firstByteMs, seconds, cpuMs, peakMb } = await download(servers, run, request);
      const ratio = cpuMs / floorMs;
      const figure = `${ratio.toFixed(2)} x floor, ${Math.round(cpuMs)} ms CPU, ${seconds.toFixed(1)} s, ${(bytes / 1e6).toFixed(1)} MB, ${Math.round(peakMb)} MB PSS`;
      if (what.endsWith('jsonl')) figures.add(what, figure, `<= ${GOALS.ratio} x`, ratio <= GOALS.ratio);
      else figures.add(what, figure);
      figures.add(`${what}: first byte`, `${Math.round(firstByteMs)} ms`);
      peaks.set(what, peakMb);
    }
    if (large > 0) {
      const largeRun = await storePages(servers, large);
      for (const request of FORMATS) {
        const what = Object.values(request).join(' ');
        const { firstByteMs, peakMb } = await download(servers, largeRun, request);
        const growth = peakMb - (peaks.get(what) ?? 0);
        figures.add(
          `${what}: growth of export from ${pages} to ${large} rows`,
          `${growth.toFixed(0)} MB`,
          `<= ${GOALS.growthMb} MB`,
          growth <= GOALS.growthMb,
        );
        const isFast = firstByteMs <= GOALS.firstByteMs;
        if (request.format === 'jsonl')
          figures.add(
            `${what}: first byte of ${large} rows`,
            `${Math.round(firstByteMs)} ms`,
            `<= ${GOALS.firstByteMs} ms`,
            isFast,
          );
      }
    }
    figures.print();
  } finally {
    await servers.close();
  }
}
