import { parseArgs } from 'node:util';
import { SERVICES } from '../../deploy/local/service-plan.ts';
import { measureAtRest } from '../../test/harness/memory.ts';
import { startReceiver } from '../../test/harness/webhook-receiver.ts';
import { startBenchFleet } from '../crawl/fleet.ts';
import { printTable } from '../shared/table.ts';
import { compare, type Growth, MAX_GROWTH } from '../soak/bounds.ts';
import { makeLoad } from '../soak/load.ts';
import { startSoakSite } from '../soak/site.ts';
import { Tally } from '../soak/tally.ts';

const HELP = `npm run bench -- soak [--minutes 20]

Runs a mixed load on a whole fleet: scrapes, batches, crawls, maps, runs of projects with their records, webhooks to a receiver, lists,
searches and streams. Measures the heap (after garbage collection) and the PSS of every process at a quarter of the time (five of twenty
minutes) and at the end, with the load at rest, and fails with exit code 1 where a service grew by more than ${MAX_GROWTH} % or a request
was answered otherwise than expected.

  --minutes  length of the load`;

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '20' }, help: { type: 'boolean', default: false } },
});

const RECEIVER = '127.0.0.4';

function show(growths: readonly Growth[], tally: Tally, minutes: number): void {
  console.log(`\nmemory, MB, at minute ${(minutes / 4).toFixed(1)} and ${minutes}`);
  printTable(
    ['process', 'early', 'late', 'growth', ''],
    growths.map(({ name, early, late, percent, isBound, isBroken }) => [
      name,
      early.toFixed(1),
      late.toFixed(1),
      `${percent.toFixed(1)} %`,
      isBroken ? 'BROKEN' : isBound ? 'ok' : 'no bound',
    ]),
  );
  printTable(['requests', 'answered', 'unexpected', 'first unexpected'], tally.rows);
}

/** Returns whether every bound is kept. */
async function soak(minutes: number): Promise<boolean> {
  const fleet = await startBenchFleet(SERVICES);
  const [site, receiver] = [await startSoakSite(), await startReceiver(RECEIVER)];
  try {
    const { admin } = await fleet.workspaces.make();
    const tally = new Tally();
    const load = await makeLoad({ api: admin, site, receiver, tally });
    await load.run((minutes / 4) * 60_000);
    const early = await measureAtRest(fleet.dataDir);
    await load.run((minutes * 3 * 60_000) / 4);
    const late = await measureAtRest(fleet.dataDir);
    const growths = compare(early, late);
    show(growths, tally, minutes);
    const broken = growths.filter(({ isBroken }) => isBroken);
    console.log(`${receiver.received.length} webhooks received`);
    if (receiver.received.length === 0) tally.fail('webhooks', 'none was received');
    console.log(
      broken.length + tally.errors === 0
        ? 'every bound is kept'
        : `${broken.length} bounds broken, ${tally.errors} unexpected answers`,
    );
    return broken.length + tally.errors === 0;
  } finally {
    site.close();
    receiver.close();
    await fleet.close();
  }
}

if (values.help) console.log(HELP);
else if (!(await soak(Number(values.minutes)))) process.exitCode = 1;
