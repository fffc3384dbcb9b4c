import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { SERVERS_URL } from '@tidemark/testkit';
import { memoryLimits } from '../../deploy/local/memory-limits.ts';
import { TestServers } from '../../tools/testing/test-servers.ts';
import { Figures } from '../archive/figures.ts';
import type { BenchRun } from '../archive/rows.ts';
import { measureMysql, measurePostgres, type Sizes } from '../export/destinations/databases.ts';
import { measureS3, measureSftp } from '../export/destinations/objects.ts';
import { download } from '../export/download.ts';
import { measureFloors } from '../export/floors.ts';
import { type ExportServers, startExportServers } from '../export/servers.ts';
import { storePages } from '../export/store-pages.ts';

const HELP = `npm run bench -- export [--section files,postgres,mysql,s3,sftp] [--pages 10000] [--large 100000]

Downloads datasets of a run whose pages have 5 KB of markdown each. CPU is the sum of archive, export and PostgreSQL; a floor is measured
in the same run: each document read and decoded once, and its row written as JSON.

  files     every format: CPU next to the floor, first byte, and by how much the peak memory of export at --large exceeds that of
            four downloads of --pages just before

  postgres, mysql   rows/s of a first and an unchanged sync next to COPY or LOAD DATA of ready bytes in the same run
  s3, sftp          transfer of ready parts next to the same bytes sent by the protocol alone; rows/s of a sync

  --large   0: leave out the large run
  --formats only these, such as "pages jsonl,markdown jsonl"`;

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

const DESTINATIONS: Readonly<Record<string, (figures: Figures, sizes: Sizes) => Promise<void>>> = {
  postgres: measurePostgres,
  mysql: measureMysql,
  s3: measureS3,
  sftp: measureSftp,
};

const LIMITED = 'BENCH_EXPORT_LIMITED';

/** Downloads of the small run before the large one: the process then has the memory that a download of any size uses again. */
const WARMING = 4;

const { values } = parseArgs({
  options: {
    section: { type: 'string', default: 'files' },
    pages: { type: 'string', default: '10000' },
    large: { type: 'string', default: '100000' },
    formats: { type: 'string', default: '' },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) console.log(HELP);
else if (process.env[LIMITED] === undefined) runLimited();
else await measureSections(values.section.split(','), { rows: Number(values.pages), large: Number(values.large) });

/** Runs the benchmark in a process with the memory limits of export, so that its memory is that of the service. */
function runLimited(): void {
  const { nodeFlags } = memoryLimits('export', '');
  const run = resolve(import.meta.dirname, '../run.ts');
  const args = [
    ...nodeFlags,
    '--expose-gc',
    '--conditions=tidemark-source',
    run,
    'bench',
    'export',
    ...process.argv.slice(2),
  ];
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit', env: { ...process.env, [LIMITED]: '1' } });
  process.exitCode = status ?? 1;
}

async function measureSections(sections: readonly string[], sizes: Sizes): Promise<void> {
  const unknown = sections.find((section) => section !== 'files' && !(section in DESTINATIONS));
  if (unknown !== undefined)
    throw new Error(`there is no section ${unknown}; expected files, ${Object.keys(DESTINATIONS).join(', ')}`);
  if (sections.includes('files')) await measureFiles(sizes.rows, sizes.large, values.formats);
  if (sections.every((section) => section === 'files')) return;
  const servers = await TestServers.listen();
  process.env[SERVERS_URL] = servers.url;
  const figures = new Figures();
  try {
    for (const [name, measureSection] of Object.entries(DESTINATIONS))
      if (sections.includes(name)) await measureSection(figures, sizes);
    figures.print();
  } finally {
    await servers.close();
  }
}

async function peakOf(servers: ExportServers, run: BenchRun, request: (typeof FORMATS)[number]): Promise<number> {
  let peak = 0;
  for (let round = 0; round < WARMING; round += 1)
    peak = Math.max(peak, (await download(servers, run, request)).peakMb);
  return peak;
}

async function measureFiles(pages: number, large: number, only: string): Promise<void> {
  const formats = FORMATS.filter(
    (request) => only === '' || only.split(',').includes(Object.values(request).join(' ')),
  );
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
    for (const request of formats) {
      const what = Object.values(request).join(' ');
      const { bytes, firstByteMs, seconds, cpuMs, peakMb } = await download(servers, run, request);
      const ratio = cpuMs / floorMs;
      const figure = `${ratio.toFixed(2)} x floor, ${Math.round(cpuMs)} ms CPU, ${seconds.toFixed(1)} s, ${(bytes / 1e6).toFixed(1)} MB, ${Math.round(peakMb)} MB PSS`;
      if (what.endsWith('jsonl')) figures.add(what, figure, `<= ${GOALS.ratio} x`, ratio <= GOALS.ratio);
      else figures.add(what, figure);
      figures.add(`${what}: first byte`, `${Math.round(firstByteMs)} ms`);
    }
    if (large > 0) {
      const largeRun = await storePages(servers, large);
      for (const request of formats) {
        const what = Object.values(request).join(' ');
        const smallMb = await peakOf(servers, run, request);
        const { firstByteMs, peakMb } = await download(servers, largeRun, request);
        const growth = Math.max(0, peakMb - smallMb);
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
