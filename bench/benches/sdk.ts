import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Tidemark } from '@tidemark/sdk';
import { startBenchFleet } from '../crawl/fleet.ts';
import { printTable } from '../shared/table.ts';

/**
 * Follows a crawl of 5,000 pages through the SDK while it runs: `npm run bench -- sdk`. A process reads the rows with their markdown and is
 * stopped by SIGINT after 2,000; another one continues at its cursor. Fails if a row is missing or repeated, or if the heap grows.
 */
const PAGES = 5_000;
const STOP_AFTER = 2_000;
const PER_SECTION = 100;
/** Growth of the heap between the first and the last measurement that garbage collection explains, MB. */
const MAX_GROWTH_MB = 5;
const HOST = '127.0.0.2';
const WORDS = 'the tide came in over the marsh and the gauge at the pier read higher than it had all winter '.repeat(
  30,
);

/** The home page leads to sections, and they to their pages. */
function pageOf(path: string): string {
  const [, kind = '', number = '0'] = /^\/(\w*)\/?(\d*)$/.exec(path) ?? [];
  const sections = Math.ceil((PAGES - 1) / (PER_SECTION + 1));
  const links =
    kind === ''
      ? Array.from({ length: sections }, (_, at) => `/section/${at}`)
      : Array.from(
          { length: kind === 'section' ? PER_SECTION : 0 },
          (_, at) => `/page/${Number(number) * PER_SECTION + at}`,
        );
  const anchors = links.map((link) => `<a href="${link}">to ${link}</a>`).join(' ');
  return `<!doctype html><html lang="en"><head><title>${path}</title></head><body><main><h1>${path}</h1><p>${path} ${WORDS}</p>${anchors}</main></body></html>`;
}

interface Heap {
  readonly rows: number;
  readonly heapMb: number;
  readonly rssMb: number;
}

/** What a follower has printed. */
class Follower {
  readonly urls: string[] = [];
  readonly heaps: Heap[] = [];
  cursor = '';
  hasEnded = false;
  readonly #child: ChildProcess;

  constructor(id: string, cursor: string, env: NodeJS.ProcessEnv) {
    const flags = ['--expose-gc', '--conditions=tidemark-source', join(import.meta.dirname, '../sdk/follower.ts')];
    this.#child = spawn(process.execPath, [...flags, id, cursor], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  }

  /** Reads the output until the process ends; after `stopAfter` rows it is stopped. */
  async run(stopAfter: number): Promise<void> {
    const { stdout } = this.#child;
    if (stdout === null) throw new Error('the follower has no output');
    const exited = once(this.#child, 'exit');
    for await (const line of createInterface({ input: stdout })) {
      const { urls, cursor, end, ...heap } = JSON.parse(line);
      if (urls !== undefined) {
        this.urls.push(...urls);
        this.cursor = cursor;
        if (this.urls.length >= stopAfter) this.#child.kill('SIGINT');
      } else if (end === true) this.hasEnded = true;
      else this.heaps.push(heap);
    }
    await exited;
  }
}

const site = createServer((request, response) =>
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(pageOf(request.url ?? '/')),
);
await new Promise<void>((resolve) => site.listen(0, HOST, resolve));
const bound = site.address();
const origin = `http://${HOST}:${typeof bound === 'object' ? bound?.port : ''}`;
const fleet = await startBenchFleet();
try {
  const { admin } = await fleet.workspaces.make();
  const access = { apiKey: admin.key, baseUrl: `${fleet.url}/v1` };
  const startedAt = performance.now();
  const order = { limit: PAGES, concurrency: 50, respectRobots: false, scrapeOptions: { formats: ['markdown'] } };
  const crawl = await new Tidemark(access).crawl.start(`${origin}/`, order);
  const env = { ...process.env, TIDEMARK_API_KEY: access.apiKey, TIDEMARK_BASE_URL: access.baseUrl };
  const first = new Follower(crawl.id, '', env);
  await first.run(STOP_AFTER);
  const second = new Follower(crawl.id, first.cursor, env);
  await second.run(Number.POSITIVE_INFINITY);
  const seconds = (performance.now() - startedAt) / 1_000;
  const rows = [...first.heaps, ...second.heaps].map((heap) =>
    [heap.rows, heap.heapMb, heap.rssMb].map((one) => one.toFixed(one % 1 === 0 ? 0 : 1)),
  );
  printTable(['rows of the process', 'heap MB', 'RSS MB'], rows);
  const all = [...first.urls, ...second.urls];
  const unique = new Set(all).size;
  const growth = Math.max(...[first, second].map(({ heaps }) => (heaps.at(-1)?.heapMb ?? 0) - (heaps[0]?.heapMb ?? 0)));
  console.log(
    `${all.length} rows in ${seconds.toFixed(0)} s, ${all.length - unique} repeated; stopped after ${first.urls.length} and continued`,
  );
  console.log(`growth of the heap: ${growth.toFixed(1)} MB (at most ${MAX_GROWTH_MB})`);
  if (unique !== PAGES || all.length !== PAGES || !second.hasEnded || growth > MAX_GROWTH_MB) process.exitCode = 1;
} finally {
  await fleet.close();
  site.closeAllConnections();
  site.close();
}
