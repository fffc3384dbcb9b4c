import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { parseArgs } from 'node:util';
import type { Api } from '../../test/harness/api.ts';
import { type Cost, costOf } from '../crawl/cost.ts';
import { processesOf, startBenchFleet } from '../crawl/fleet.ts';
import { awaitCrawl, isEnded } from '../crawl/run.ts';
import { printTable } from '../shared/table.ts';
import { startSite } from '../site/start-site.ts';

/**
 * Reads the rows of a crawl with their bodies: `npm run bench -- rows [--pages 3000] [--runs 3]`. In turn as JSON, a page of 100 rows a request,
 * and as one stream of lines. Fails if the two differ, or if the stream has less than 3,000 rows/s in every run.
 */
const { values } = parseArgs({
  options: { pages: { type: 'string', default: '3000' }, runs: { type: 'string', default: '3' } },
});
const PAGES = Number(values.pages);
const RUNS = Number(values.runs);
const GOAL = 3_000;
const FORMATS = ['markdown', 'cleanHtml', 'links'];
const WITHIN_MS = 600_000;

interface Read {
  readonly rows: number;
  readonly bytes: number;
}

async function responseOf(api: Api, path: string, accept: string): Promise<IncomingMessage> {
  const headers = { authorization: `Bearer ${api.key}`, accept };
  const [response]: IncomingMessage[] = await once(get(`${api.url}/v1${path}`, { headers }), 'response');
  if (response?.statusCode !== 200) throw new Error(`GET ${path} returned ${response?.statusCode}`);
  return response;
}

/** Reads every row as JSON, request by request. */
async function readLists(api: Api, id: string, onRow?: (line: string) => void): Promise<Read> {
  const read = { rows: 0, bytes: 0 };
  for (let cursor: string | null = ''; cursor !== null; ) {
    const chunks: Buffer[] = [];
    for await (const chunk of await responseOf(api, `/crawl/${id}?limit=100&cursor=${cursor}`, 'application/json'))
      chunks.push(chunk);
    const text = Buffer.concat(chunks);
    const { data, next, cursor: last } = JSON.parse(text.toString());
    read.bytes += text.length;
    read.rows += data.length;
    if (onRow !== undefined) for (const row of data) onRow(JSON.stringify(row));
    cursor = next === null ? null : last;
  }
  return read;
}

const LINE_FEED = 10;

/** Reads every row from the stream of lines. The lines are counted; they are parsed for the comparison only. */
async function readStream(api: Api, id: string, onRow?: (line: string) => void): Promise<Read> {
  const read = { rows: 0, bytes: 0 };
  const kept: Buffer[] = [];
  for await (const chunk of await responseOf(api, `/crawl/${id}`, 'application/x-ndjson')) {
    read.bytes += chunk.length;
    for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, at + 1)) read.rows += 1;
    if (onRow !== undefined) kept.push(chunk);
  }
  if (onRow !== undefined)
    for (const line of Buffer.concat(kept).toString().split('\n'))
      if (line !== '') {
        const { cursor: _, ...row } = JSON.parse(line);
        onRow(JSON.stringify(row));
      }
  return read;
}

const site = await startSite({ pages: PAGES, prewarm: true });
const fleet = await startBenchFleet();
try {
  const { admin } = await fleet.workspaces.make();
  const order = {
    url: `${site.base}/`,
    limit: 100_000,
    concurrency: 50,
    useSitemap: false,
    maxTier: 'http',
    scrapeOptions: { formats: FORMATS },
  };
  const started = await admin.post('/crawl', order);
  if (started.status !== 202) throw new Error(`the crawl was rejected: ${started.text}`);
  const { id } = JSON.parse(started.text);
  const { progress } = await awaitCrawl(admin, id, isEnded, WITHIN_MS);
  const watched = processesOf(fleet);
  const table: string[][] = [];
  const speeds: number[] = [];
  const measure = async (name: string, read: () => Promise<Read>): Promise<number> => {
    const { value, cost }: { value: Read; cost: Cost } = await costOf(watched, [site.pid], read);
    const speed = value.rows / cost.seconds;
    const cpu = (ms: number): string => (ms / value.rows).toFixed(3);
    const main = [...cost.cpuMsByThread.values()].map((threads) => threads.get('main') ?? 0);
    table.push([
      name,
      String(value.rows),
      cost.seconds.toFixed(2),
      speed.toFixed(0),
      (value.bytes / 1e6 / cost.seconds).toFixed(0),
      cpu(cost.cpuMs),
      cpu(Math.max(...main)),
      cost.peakMb.toFixed(0),
      cost.othersCores.toFixed(2),
    ]);
    if (value.rows !== progress.done) throw new Error(`${name}: ${value.rows} rows of ${progress.done}`);
    return speed;
  };
  for (let run = 0; run < RUNS; run += 1) {
    await measure('JSON, 100 rows a request', () => readLists(admin, id));
    speeds.push(await measure('x-ndjson', () => readStream(admin, id)));
  }
  printTable(
    ['form', 'rows', 's', 'rows/s', 'MB/s', 'CPU ms a row', 'of it main thread', 'peak MB', 'others, cores'],
    table,
  );
  const lists: string[] = [];
  const lines: string[] = [];
  await readLists(admin, id, (row) => lists.push(row));
  await readStream(admin, id, (row) => lines.push(row));
  const differing = lines.filter((line, at) => line !== lists[at]).length;
  const best = Math.max(...speeds);
  console.log(
    `${lines.length} lines, ${differing} of them differ from the rows in JSON; ${best.toFixed(0)} rows/s at best (goal ${GOAL})`,
  );
  if (differing > 0 || lines.length !== lists.length || best < GOAL) process.exitCode = 1;
} finally {
  await fleet.close();
  site.stop();
}
