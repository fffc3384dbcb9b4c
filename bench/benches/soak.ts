import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { SERVICES } from '../../deploy/services.ts';
import { writeHeapSnapshot } from '../../test/harness/inspector.ts';
import { measureAtRest, type ProcessMemory } from '../../test/harness/memory.ts';
import { startReceiver } from '../../test/harness/webhook-receiver.ts';
import { startBenchFleet } from '../crawl/fleet.ts';
import { printTable } from '../shared/table.ts';
import { compare, type Growth, MAX_GROWTH } from '../soak/bounds.ts';
import { makeLoad } from '../soak/load.ts';
import { startSoakSite } from '../soak/site.ts';
import { Tally } from '../soak/tally.ts';

const HELP = `npm run bench -- soak [--minutes 20]

Runs a mixed load on a whole fleet: scrapes, batches, crawls, maps, runs of projects with their records, webhooks to a receiver, lists,
searches and streams. Measures the heap (after garbage collection) and the PSS of every process at each quarter of the time, with the load at
rest. Compares the first quarter (minute five of twenty) with the end, and fails with exit code 1 where a service grew by more than ${MAX_GROWTH} % or a request
was answered otherwise than expected.

  --minutes             length of the load; shorter ones measure the first quarter before everything is warm
  SOAK_SNAPSHOTS=<dir>  writes heap snapshots of the services at each quarter (environment); they raise the PSS`;

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '20' }, help: { type: 'boolean', default: false } },
});

const RECEIVER = '127.0.0.4';
const QUARTERS = 4;

function show(growths: readonly Growth[], tally: Tally, minutes: number): void {
  console.log('\nmemory with the load at rest, MB');
  const quarters = Array.from({ length: QUARTERS }, (_, at) => `min ${((minutes * (at + 1)) / QUARTERS).toFixed(1)}`);
  printTable(
    ['process', ...quarters, 'growth', ''],
    growths.map(({ name, values: figures, percent, isBound, isBroken }) => [
      name,
      ...figures.map((figure) => figure.toFixed(1)),
      `${percent.toFixed(1)} %`,
      isBroken ? 'BROKEN' : isBound ? 'ok' : 'no bound',
    ]),
  );
  printTable(['requests', 'answered', 'unexpected', 'first unexpected'], tally.rows);
}

/** Writes a heap snapshot of every service process where SOAK_SNAPSHOTS names a folder. */
async function snapshots(memory: readonly ProcessMemory[], quarter: number): Promise<void> {
  const folder = process.env['SOAK_SNAPSHOTS'];
  if (folder === undefined) return;
  for (const { name, pid, heapMb } of memory)
    if (heapMb !== undefined) await writeHeapSnapshot(pid, join(folder, `${name}-${quarter}.heapsnapshot`));
}

/** Returns whether every bound is kept. */
async function soak(minutes: number): Promise<boolean> {
  const fleet = await startBenchFleet(SERVICES);
  const [site, receiver] = [await startSoakSite(), await startReceiver(RECEIVER)];
  try {
    const { admin } = await fleet.workspaces.make();
    const tally = new Tally();
    const load = await makeLoad({ api: admin, site, receiver, tally });
    const measured: ProcessMemory[][] = [];
    for (let quarter = 1; quarter <= QUARTERS; quarter += 1) {
      await load.run((minutes * 60_000) / QUARTERS);
      const memory = await measureAtRest(fleet.dataDir);
      await snapshots(memory, quarter);
      measured.push(memory);
    }
    const growths = compare(measured);
    show(growths, tally, minutes);
    const broken = growths.filter(({ isBroken }) => isBroken);
    console.log(`${receiver.received.length} webhooks received`);
    if (receiver.received.length === 0) tally.fail('webhooks', 'none was received');
    const isWell = broken.length + tally.errors === 0;
    console.log(
      isWell ? 'every bound is kept' : `${broken.length} bounds broken, ${tally.errors} unexpected responses`,
    );
    return isWell;
  } finally {
    site.close();
    receiver.close();
    await fleet.close();
  }
}

if (values.help) console.log(HELP);
else if (!(await soak(Number(values.minutes)))) process.exitCode = 1;
