import { startCrawl, untilDone } from '../faults/crawls.ts';
import type { OwnFleet } from '../harness/fleet.ts';
import { makeProject, runToEnd } from '../harness/projects.ts';
import { until } from '../harness/until.ts';
import type { Workspace } from '../harness/workspaces.ts';
import type { Web } from '../web/server.ts';

/** Part of every secret that is stored; found in the requests that use it. */
export const CANARY = 'c0ffee5ea1ed';

/** What one workspace stores: something of every kind, secrets included. */
export interface Filled {
  readonly workspace: Workspace;
  readonly scrapeId: string;
  readonly projectId: string;
  readonly runId: string;
  readonly loginId: string;
  readonly connectionId: string;
  /** A crawl that is paused in its middle. */
  readonly crawlId: string;
  readonly crawlUrls: readonly string[];
}

/** Pages of the paused crawl. */
const CRAWL_PAGES = 40;

const idOf = ({ status, body, text }: { status: number; body: unknown; text: string }): string => {
  if (status >= 300 || typeof body !== 'object' || body === null || !('id' in body))
    throw new Error(`got ${status} ${text}`);
  return String(body.id);
};

/** Fills a new workspace: captures, a project with two runs, a webhook, a login, a connection, a paused crawl. */
export async function fill(fleet: OwnFleet, web: Web): Promise<Filled> {
  const workspace = await fleet.workspaces.make();
  const { writer, admin } = workspace;
  const capture = { url: web.url('/article'), formats: 'markdown,text,cleanHtml,rawHtml,links' };
  const scrapeId = (await writer.scrape(capture)).job.id;
  const config = {
    max_pages: 3,
    use_sitemap: false,
    headers: { 'X-Ticket': CANARY },
    webhook_url: web.url(`/hooks/drill?token=${CANARY}`),
  };
  const projectId = (await makeProject(writer, { seed: web.url('/article'), config })).id;
  await runToEnd(writer, projectId);
  const runId = (await runToEnd(writer, projectId)).id;
  const session = { site: web.url('/'), cookies: [{ name: 'sid', value: CANARY }], terms_accepted: true };
  const loginId = idOf(await writer.post('/logins', session));
  const model = { config: { model: 'tide-1', base_url: 'https://models.example.com/v1' } };
  const order = { provider: 'openai', name: 'Ours', ...model, secrets: { api_key: CANARY } };
  const connectionId = idOf(await admin.post('/connections', order));
  const crawlUrls = Array.from({ length: CRAWL_PAGES }, (_, n) => web.url(`/article?n=${n}`));
  const crawl = {
    url: web.url('/'),
    crawlMode: 'list_only',
    concurrency: 1,
    delay: 100,
    config: { url_list: crawlUrls },
  };
  const crawlId = await startCrawl(writer, crawl);
  await untilDone(fleet, crawlId, 5);
  const paused = await writer.post(`/crawl/${crawlId}/pause`, {});
  if (paused.status !== 200) throw new Error(`the crawl was not paused: ${paused.status} ${paused.text}`);
  await untilQuiet(fleet);
  return { workspace, scrapeId, projectId, runId, loginId, connectionId, crawlId, crawlUrls };
}

/** Waits until every event is confirmed and no page is in flight, so that what is read twice is equal. */
export const untilQuiet = ({ sql }: OwnFleet): Promise<boolean> =>
  until(
    'every event to be confirmed',
    async () => {
      const outboxes = ['scrape', 'crawl', 'map', 'projects', 'diff', 'delivery', 'export', 'identity', 'billing'];
      const counts = outboxes.map((schema) => `(SELECT count(*) FROM ${schema}.outbox)`).join(' + ');
      const [row] = await sql<{ left: string }>(
        `SELECT ${counts} + (SELECT coalesce(sum(in_flight), 0) FROM crawl.runs) + (SELECT count(*) FROM delivery.deliveries WHERE status IN ('pending', 'delivering')) AS left`,
      );
      if (row?.left !== '0') throw new Error(`${row?.left} are left`);
      return true;
    },
    { withinMs: 60_000 },
  );

/** Reads what a workspace has over REST, as text without the ids of the requests. */
export async function readEverything({
  workspace,
  scrapeId,
  projectId,
  runId,
  crawlId,
  loginId,
  connectionId,
}: Filled): Promise<Map<string, string>> {
  const { admin } = workspace;
  const paths = [
    `/scrape/${scrapeId}`,
    '/scrape',
    '/projects',
    `/projects/${projectId}`,
    `/projects/${projectId}/runs`,
    `/projects/${projectId}/runs/${runId}`,
    `/projects/${projectId}/pages?limit=1000`,
    `/projects/${projectId}/changes`,
    `/crawl/${crawlId}?formats=markdown,text&limit=100`,
    '/webhooks/deliveries',
    '/logins',
    '/connections',
    '/me/usage',
    '/me/billing',
    '/me/audit',
  ];
  const read = new Map<string, string>();
  for (const path of paths) {
    const { status, text } = await admin.get(path);
    read.set(path, `${status} ${text.replaceAll(/"request_id":"[^"]*"/g, '').replaceAll(admin.url, '')}`);
  }
  expectIds(read, [scrapeId, projectId, runId, crawlId, loginId, connectionId]);
  return read;
}

function expectIds(read: ReadonlyMap<string, string>, ids: readonly string[]): void {
  const all = [...read.values()].join('\n');
  const absent = ids.filter((id) => !all.includes(id));
  if (absent.length > 0) throw new Error(`${absent.join(', ')} are not in what was read`);
}

/** Returns the rows of every table of the services, by table. */
export async function rowCounts({ sql }: OwnFleet): Promise<Map<string, number>> {
  const tables = await sql<{ name: string }>(
    `SELECT format('%I.%I', n.nspname, c.relname) AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE c.relkind = 'r' AND c.relpersistence = 'p' AND n.nspname IN (SELECT schemaname FROM pg_tables WHERE tablename = '_prisma_migrations') ORDER BY 1`,
  );
  const counts = new Map<string, number>();
  for (const { name } of tables) {
    const [row] = await sql<{ count: string }>(`SELECT count(*) FROM ${name}`);
    counts.set(name, Number(row?.count ?? -1));
  }
  return counts;
}
