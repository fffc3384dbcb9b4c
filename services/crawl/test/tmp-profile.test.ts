import { it, beforeAll, afterAll } from '@jest/globals';
import pg from 'pg';
import { type CrawlGround, clientIn, HOME, openCrawl } from './crawl-ground.ts';
const PAGES = Number(process.env['CRAWL_PAGES'] ?? 2000);
const LINKS = 33;
function site(url: string) {
  const at = url === `${HOME}/` ? 0 : Number(/\/section-\d+\/page-(\d+)$/.exec(url)?.[1] ?? -1);
  if (at < 0 || at >= PAGES) return undefined;
  const below = Array.from({ length: 6 }, (_, i) => at * 6 + i + 1);
  const near = Array.from({ length: 12 }, (_, i) => at + i - 6);
  const menu = Array.from({ length: LINKS - 18 }, (_, i) => i);
  const links = [...menu, ...below, ...near].filter((page) => page >= 0 && page < PAGES);
  return { links: links.map((page) => (page === 0 ? `${HOME}/` : `${HOME}/section-${page % 40}/page-${page}`)) };
}
const texts = new Map<string, any>();
const stats = new Map<string, { n: number; ms: number }>();
const orig: any = pg.Client.prototype.query;
(pg.Client.prototype as any).query = function (q: any, ...rest: any[]) {
  if (q?.name) texts.set(q.name, q);
  const name = q?.name ?? (typeof q === 'string' ? q : q?.text ?? '?').slice(0, 40).replace(/\s+/g, ' ');
  const t = performance.now();
  const r = orig.call(this, q, ...rest);
  if (r?.then) r.then(() => { const s = stats.get(name) ?? { n: 0, ms: 0 }; s.n++; s.ms += performance.now() - t; stats.set(name, s); }, () => undefined);
  return r;
};
const origPool: any = pg.Pool.prototype.query;
(pg.Pool.prototype as any).query = function (q: any, ...rest: any[]) {
  const name = 'P ' + (q?.name ?? (typeof q === 'string' ? q : q?.text ?? '?').slice(0, 40).replace(/\s+/g, ' '));
  if (q?.name) texts.set(q.name, q);
  const t = performance.now();
  const r = origPool.call(this, q, ...rest);
  if (r?.then) r.then(() => { const s = stats.get(name) ?? { n: 0, ms: 0 }; s.n++; s.ms += performance.now() - t; stats.set(name, s); }, () => undefined);
  return r;
};
let ground: CrawlGround;
beforeAll(async () => { ground = await openCrawl(); }, 120000);
afterAll(() => ground.close());
it('profiles', async () => {
  const svc = await ground.start();
  const [conf] = await ground.ground.database.sql<any>("select current_setting('shared_preload_libraries') as l, current_setting('plan_cache_mode') as p, current_setting('jit') as jit, version() as v");
  process.stderr.write(JSON.stringify(conf) + '\n');
  await ground.workers(site, { concurrency: 64 });
  const client = clientIn(svc);
  const t = performance.now();
  const { id } = await client.start({ maxPages: PAGES * 2, concurrency: 50, maxDepth: 100 });
  let explained = false;
  const { until } = await import('@tidemark/testkit');
  await until('end', async () => {
    const run = await client.get(id);
    if (!explained && run.done > PAGES / 3) {
      explained = true;
      const c = new pg.Client({ connectionString: ground.ground.database.url, options: '-c search_path=crawl' });
      await c.connect();
      for (const name of (process.env['EXPLAIN'] ?? 'claim-pages').split(',')) {
        const q = texts.get(name);
        await c.query('BEGIN');
        const { rows } = await orig.call(c, 'EXPLAIN (ANALYZE, BUFFERS) ' + q.text, q.values);
        process.stderr.write(rows.map((r: any) => r['QUERY PLAN']).join('\n') + '\n');
        await c.query('ROLLBACK');
      }
      await c.end();
    }
    return run.status === 'done';
  }, { withinMs: 100000 });
  process.stderr.write(`${PAGES / ((performance.now() - t) / 1000)} pages/s\n`);
  for (const [name, { n, ms }] of [...stats].sort((a, b) => b[1].ms - a[1].ms).slice(0, 16)) process.stderr.write(`${name.padEnd(42)} ${String(n).padStart(6)} ${(ms / n).toFixed(2)} ms each ${(ms / PAGES).toFixed(3)} ms/page\n`);
}, 300000);
