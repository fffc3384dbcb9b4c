import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { SERVERS_URL } from '@tidemark/testkit';
import { memoryLimits } from '../../deploy/local/memory-limits.ts';
import { TestServers } from '../../tools/testing/test-servers.ts';
import { Figures } from '../archive/figures.ts';
import { measureMysql, measurePostgres, type Sizes } from '../export/destinations/databases.ts';
import { measureS3, measureSftp } from '../export/destinations/objects.ts';
import { measureFiles } from '../export/files.ts';
import { measureLatency } from '../export/latency.ts';

const HELP = `npm run bench -- export [--section files,postgres,mysql,s3,sftp,latency] [--pages 10000] [--large 100000]

Downloads datasets of a run whose pages have documents of 20 KB, with 5 KB of markdown each. CPU is the sum of archive, export and
PostgreSQL. Each download is measured three times, with its floor before each (the median counts): every document read from its file,
decompressed, verified and decoded once, and its row written to a file as JSON, by functions of Node alone.

  files     every format: CPU next to the floor, first byte, and by how much the peak memory of export at --large exceeds that of
            four downloads of --pages just before

  postgres, mysql   rows/s of a first and an unchanged sync next to COPY or LOAD DATA of ready bytes in the same run
  s3, sftp          transfer of ready parts next to the same bytes sent by the protocol alone; rows/s of a sync

            growth of memory from --pages to --large: of the peak over as many rows in small syncs, of the peak over small syncs after
            a forced collection, and of the memory in use after collections during the sync

  latency   p95 of reads of the API through the whole fleet, alone and during ten downloads at once of a run of --run-pages

  --large   0: leave out the large run
  --samples requests of each figure of the section latency
  --separate the section latency with a process per service, as on Kubernetes
  --formats only these, such as "pages jsonl,markdown jsonl"`;

const DESTINATIONS: Readonly<Record<string, (figures: Figures, sizes: Sizes) => Promise<void>>> = {
  postgres: measurePostgres,
  mysql: measureMysql,
  s3: measureS3,
  sftp: measureSftp,
};
const FLEET_SECTIONS = ['files', 'latency'];

const LIMITED = 'BENCH_EXPORT_LIMITED';
/** Settings of malloc that processes of the fleet have (deploy/local/host-process.ts). */
const MALLOC = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '1048576' };

const { values } = parseArgs({
  options: {
    section: { type: 'string', default: 'files' },
    pages: { type: 'string', default: '10000' },
    large: { type: 'string', default: '100000' },
    formats: { type: 'string', default: '' },
    'run-pages': { type: 'string', default: '1000' },
    samples: { type: 'string', default: '600' },
    separate: { type: 'boolean', default: false },
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
  const env = { ...process.env, ...MALLOC, [LIMITED]: '1' };
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit', env });
  process.exitCode = status ?? 1;
}

async function measureSections(sections: readonly string[], sizes: Sizes): Promise<void> {
  const known = [...FLEET_SECTIONS, ...Object.keys(DESTINATIONS)];
  const unknown = sections.find((section) => !known.includes(section));
  if (unknown !== undefined) throw new Error(`there is no section ${unknown}; expected ${known.join(', ')}`);
  if (sections.includes('files')) {
    const figures = new Figures();
    await measureFiles(figures, sizes, values.formats);
    figures.print();
  }
  if (sections.includes('latency')) {
    const figures = new Figures();
    await measureLatency(figures, {
      pages: Number(values['run-pages']),
      samples: Number(values.samples),
      processPerService: values.separate,
    });
    figures.print();
  }
  if (sections.every((section) => FLEET_SECTIONS.includes(section))) return;
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
