import { unusedId } from '../../contract/unused-ids.ts';
import type { Fleet } from '../../harness/fleet.ts';
import { NO_CHANGE, NO_IGNORED } from '../../harness/paths.ts';
import { makeProject, runToEnd } from '../../harness/projects.ts';
import { until } from '../../harness/until.ts';
import type { Workspace } from '../../harness/workspaces.ts';
import type { Web } from '../../web/server.ts';

/** Values that valid requests are made of: local sites, and ids of resources that one workspace has. */
export interface Pool {
  readonly workspace: Workspace;
  readonly urls: readonly string[];
  /** Ids by the first segments of the paths that take them. */
  readonly owned: Readonly<Record<string, string>>;
  readonly run: string;
}

const CONNECTION = {
  provider: 'openai',
  name: 'Owned',
  config: { model: 'tide-1', base_url: 'https://models.example.com/v1' },
  secrets: { api_key: 'sk-attack-suite' },
};

const idOf = ({ body, status, text }: { body: unknown; status: number; text: string }): string => {
  if (typeof body === 'object' && body !== null && 'id' in body && typeof body.id === 'string') return body.id;
  throw new Error(`expected a resource with an id, got ${status} ${text}`);
};

async function endedCrawl({ writer }: Workspace, url: string): Promise<string> {
  const id = idOf(await writer.post('/crawl', { url, limit: 1, useSitemap: false }));
  await until('the crawl of the pool has ended', async () => {
    const { body } = await writer.get(`/crawl/${id}?formats=none`);
    return typeof body === 'object' && body !== null && 'status' in body && body.status === 'done';
  });
  return id;
}

/** Creates one resource of each kind in a workspace. */
export async function makePool(fleet: Fleet, web: Web, plan?: string): Promise<Pool> {
  const workspace = await fleet.workspaces.make(plan);
  const { writer, admin } = workspace;
  const page = web.url('/tiny');
  const config = { max_pages: 1, use_sitemap: false, webhook_url: page };
  const project = await makeProject(writer, { seed: page, config });
  const { id: run } = await runToEnd(writer, project.id);
  const [scrape, map, crawl, playground, login, connection, key, delivery] = await Promise.all([
    writer.capture(page).then(({ job }) => job.id),
    writer.post('/map', { url: page, sitemapMode: 'skip' }).then(idOf),
    endedCrawl(workspace, page),
    writer.post('/playground/extract', { url: page, allow_browser: false }).then(idOf),
    writer.post('/logins', { site: page, cookies: [{ name: 'sid', value: 'x' }], terms_accepted: true }).then(idOf),
    admin.post('/connections', CONNECTION).then(idOf),
    fleet.workspaces.key(workspace.id, { scopes: ['read'] }).then(({ keyId }) => keyId),
    writer.post(`/projects/${project.id}/webhooks/test`, {}).then(idOf),
  ]);
  return {
    workspace,
    urls: [page, web.url('/article'), web.url('/status/500'), web.url('/redirect/301'), web.url('/nowhere', 'other')],
    owned: {
      '/scrape': scrape,
      '/map': map,
      '/crawl': crawl,
      '/playground': playground,
      '/logins': login,
      '/connections': connection,
      '/me/keys': key,
      '/webhooks': delivery,
      '/projects': project.id,
    },
    run,
  };
}

/** Returns the id of the pool that a path takes; one that does not exist where the pool has none. */
export const ownedId = ({ owned }: Pool, path: string): string =>
  Object.entries(owned).find(([start]) => path.startsWith(start))?.[1] ?? unusedId(path);

/** Returns a path with values for its parameters. */
export const filledPath = (path: string, id: string, run: string): string =>
  path
    .replace('{run}', run)
    .replace('{change}', NO_CHANGE)
    .replace('{ignored}', NO_IGNORED)
    .replace(/\{\w+\}/, id);
