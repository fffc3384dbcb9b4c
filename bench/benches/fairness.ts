import { fork } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Api } from '../../test/harness/api.ts';
import { costOf } from '../crawl/cost.ts';
import { processesOf, startBenchFleet } from '../crawl/fleet.ts';
import type { HeavyMessage, HeavyOrder } from '../fairness/heavy-tenants.ts';
import { median } from '../shared/load.ts';
import { printTable } from '../shared/table.ts';

const HELP = `npm run bench -- fairness [--samples 60] [--browser-samples 100] [--large-clients 4] [--slow-clients 8] [--links 300000] [--megabytes 8]

Scrapes a small page of one workspace through the whole fleet, first alone, then while a second workspace scrapes pages of
8 MB with 300,000 links and a third renders pages of 12 s. Prints p95 idle, p95 loaded and their ratio, for the http and the
browser engine. Exit code 1 where the ratio exceeds 3. The p95 of 20 samples is their maximum: use 100 or more.`;

const MAX_RATIO = 3;
/** Time for the heavy tenants to fill every thread and tab, ms. */
const FILL_MS = 6_000;

const { values } = parseArgs({
  options: {
    samples: { type: 'string', default: '60' },
    'browser-samples': { type: 'string', default: '100' },
    'large-clients': { type: 'string', default: '4' },
    'slow-clients': { type: 'string', default: '8' },
    links: { type: 'string', default: '300000' },
    megabytes: { type: 'string', default: '8' },
    verbose: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

interface Measured {
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly failed: number;
}

/** Scrapes a page `samples` times, one after the other. */
async function measure(api: Api, url: string, renderJs: 'never' | 'always'): Promise<Measured> {
  const samples = Number(values[renderJs === 'never' ? 'samples' : 'browser-samples']);
  const times: number[] = [];
  let failed = 0;
  for (let at = 0; at < samples; at += 1) {
    const startedAtMs = performance.now();
    const { status, text } = await api.post('/scrape', { url, formats: 'markdown', config: { render_js: renderJs } });
    times.push(performance.now() - startedAtMs);
    if (status !== 200 || !text.includes('"verdict":"ok"')) failed += 1;
  }
  const sorted = times.toSorted((a, b) => a - b);
  const measured = { p50Ms: median(sorted), p95Ms: sorted[Math.floor(samples * 0.95)] ?? Number.NaN, failed };
  if (values.verbose) console.log(`render_js ${renderJs}: ${JSON.stringify(measured)}`);
  return measured;
}

interface Heavy {
  readonly site: string;
  start(order: HeavyOrder): void;
  stop(): Promise<Readonly<Record<string, number>>>;
  close(): void;
}

function startHeavy(): Promise<Heavy> {
  const options = ['large-clients', 'slow-clients', 'links', 'megabytes'] as const;
  const args = options.map((name) => `--${name}=${values[name]}`);
  const child = fork(join(import.meta.dirname, '../fairness/heavy-tenants.ts'), args);
  const next = () => new Promise<HeavyMessage>((resolve) => child.once('message', resolve));
  return next().then((message) => {
    if (!('port' in message)) throw new Error('the site did not start');
    return {
      site: `http://127.0.0.2:${message.port}`,
      start: (order) => void child.send(order),
      async stop() {
        const answered = next();
        child.send('stop');
        const result = await answered;
        return 'responses' in result ? result.responses : {};
      },
      close: () => void child.kill(),
    };
  });
}

async function main(): Promise<void> {
  const heavy = await startHeavy();
  const fleet = await startBenchFleet(['identity', 'billing', 'archive', 'browser-pool', 'scrape', 'gateway']);
  try {
    const [small, large, slow] = await Promise.all([1, 2, 3].map(() => fleet.workspaces.make()));
    if (small === undefined || large === undefined || slow === undefined) throw new Error('no workspaces');
    const url = `${heavy.site}/small`;
    // Warm-up: compilers, connections and the browser.
    await measure(small.writer, url, 'never');
    await measure(small.writer, url, 'always');
    const idle = [await measure(small.writer, url, 'never'), await measure(small.writer, url, 'always')];
    heavy.start({ url: fleet.url, largeKey: large.writer.key, slowKey: slow.writer.key });
    await new Promise((resolve) => setTimeout(resolve, FILL_MS));
    const { value: loaded, cost } = await costOf(processesOf(fleet), [], async () => [
      await measure(small.writer, url, 'never'),
      await measure(small.writer, url, 'always'),
    ]);
    const responses = await heavy.stop();
    const rows = ['http', 'browser'].map((engine, at) => {
      const [before, under] = [idle[at], loaded[at]];
      if (before === undefined || under === undefined) throw new Error('not measured');
      const ratio = under.p95Ms / before.p95Ms;
      if (!(ratio <= MAX_RATIO) || under.failed > 0) process.exitCode = 1;
      const ms = (value: number): string => value.toFixed(0);
      const cells = [before.p50Ms, before.p95Ms, under.p50Ms, under.p95Ms].map(ms);
      return [`small page, ${engine}`, ...cells, ratio.toFixed(2), String(before.failed + under.failed)];
    });
    printTable(['', 'idle p50', 'idle p95', 'loaded p50', 'loaded p95', 'p95 ratio', 'failed'], rows);
    console.log(`heavy tenants, by engine and status: ${JSON.stringify(responses)}`);
    const cpu = [...cost.cpuMsByName].map(([name, ms]) => `${name} ${(ms / 1000).toFixed(1)}`).join(', ');
    console.log(`loaded for ${cost.seconds.toFixed(0)} s; CPU s by process: ${cpu}; peak ${cost.peakMb.toFixed(0)} MB`);
  } finally {
    await fleet.close();
    heavy.close();
  }
}

if (values.help) console.log(HELP);
else await main();
