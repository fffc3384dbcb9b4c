import type { RequestListener } from 'node:http';
import { newId } from '@tidemark/contracts';
import {
  type ListEntriesRequest,
  type MapOptions,
  type MapRequest,
  type MapResponse,
  MapRow,
  MapServiceService as Rpc,
} from '@tidemark/contracts/map/v1/map';
import {
  callerIn,
  type FakeBilling,
  newWorkspace,
  type RunningService,
  startFakeBilling,
  startRedis,
  startService,
  startTestServers,
  startWebSite,
  type TestServers,
  until,
  type WebSite,
} from '@tidemark/testkit';
import { map as mapService } from '../src/service.ts';

/** The map service with its own database, NATS and blob store, two real web sites and a fake billing service. */
export interface MapServers extends TestServers {
  readonly billing: FakeBilling;
  readonly site: WebSite;
  /** A second host, for files and URLs of other hosts. */
  readonly other: WebSite;
  readonly serviceEnv: Readonly<Record<string, string>>;
  service: RunningService;
  replica(env?: Readonly<Record<string, string>>): Promise<RunningService>;
}

export type SiteFiles = Readonly<Record<string, string | Buffer | number | RequestListener>>;

/** Serves files by path: a body, a status or a listener. Other paths are not found. */
export const siteOf =
  (siteFiles: () => SiteFiles): RequestListener =>
  (request, response) => {
    const file = siteFiles()[request.url ?? ''];
    if (file === undefined) response.writeHead(404).end('not found');
    else if (typeof file === 'number') response.writeHead(file).end();
    else if (typeof file === 'function') file(request, response);
    else response.end(file);
  };

export async function startMapServers(listener: RequestListener, otherListener: RequestListener): Promise<MapServers> {
  const servers = await startTestServers();
  const redis = servers.own(await startRedis());
  const billing = servers.own(await startFakeBilling(servers.nats.url));
  const site = servers.own(await startWebSite(listener));
  const other = servers.own(await startWebSite(otherListener));
  const serviceEnv = {
    ...servers.env,
    REDIS_URL: redis.url,
    BILLING_ADDR: billing.address,
    TIDEMARK_EGRESS_ALLOW: `${site.host},${other.host}`,
  };
  const replica: MapServers['replica'] = async (env = {}) =>
    servers.own(await startService(mapService, { ...serviceEnv, ...env }));
  return { ...servers, billing, site, other, serviceEnv, service: await replica(), replica };
}

/** Returns the calls of one workspace. `projects` restricts its key. */
export function clientIn(servers: MapServers, workspaceId = newWorkspace(), projects?: readonly string[]) {
  const caller = callerIn(workspaceId, { projects });
  const peer = () => servers.service.peer;
  const map = async (options: Partial<MapOptions> = {}, overrides: Partial<MapRequest> = {}) => {
    const response = await peer().call(
      Rpc.map,
      {
        url: `${servers.site.origin}/`,
        options: { search: '', limit: 5_000, sitemapMode: 'auto', allowSubdomains: false, forCrawl: false, ...options },
        waitMs: 20_000,
        idempotencyKey: '',
        requestHash: '',
        ...overrides,
      },
      caller,
      { deadlineMs: 40_000 },
    );
    return { ...response, rows: rowsOf(response) };
  };
  const job = async (id: string) => (await peer().call(Rpc.getMap, { id, withFiles: true }, caller)).job;
  return {
    workspaceId,
    caller,
    map,
    job,
    files: async (id: string) => (await peer().call(Rpc.getMap, { id, withFiles: true }, caller)).files,
    rows: async (id: string, after: number, limit: number) =>
      (await peer().call(Rpc.listMapRows, { id, after, limit }, caller)).rows,
    discovery: (url: string, snapshotId = '', projectId = '') =>
      peer().call(Rpc.discovery, { url, snapshotId, projectId }, caller),
    entries: (file: string, overrides: Partial<ListEntriesRequest> = {}) => {
      const request = {
        url: `${servers.site.origin}/`,
        snapshotId: '',
        file,
        prefix: '',
        q: '',
        after: 0,
        limit: 100,
        ...overrides,
      };
      return peer().call(Rpc.listEntries, request, caller);
    },
    /** Waits for the end of a job. */
    ended: (id: string) =>
      until(`map ${id} to end`, async () => {
        const found = await job(id);
        return found !== undefined && found.status !== 'running' && found;
      }),
    /** Waits until the workspace has no open lease and returns the credits it was charged. */
    spent: () =>
      until('every lease of the workspace to be closed', () => {
        if ([...servers.billing.leases.values()].some((lease) => lease.workspaceId === workspaceId)) return undefined;
        const charges = [...servers.billing.spent.values()].filter((charge) => charge.workspaceId === workspaceId);
        return { credits: charges.reduce((sum, { credits }) => sum + credits, 0) };
      }),
  };
}

/** Parses the row documents of a response. */
export const rowsOf = ({ rows }: MapResponse): MapRow[] =>
  rows.flatMap((document): unknown[] => JSON.parse(document.toString('utf8'))).map((row) => MapRow.fromJSON(row));

export const newKey = (): string => newId('req');

/** Returns a sitemap with these paths. */
export const urlset = (origin: string, paths: readonly string[], lastmod = ''): string =>
  `<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${paths
    .map((path) => `<url><loc>${origin}${path}</loc>${lastmod === '' ? '' : `<lastmod>${lastmod}</lastmod>`}</url>`)
    .join('')}</urlset>`;

/** Returns a sitemap index of these files. */
export const indexOf = (urls: readonly string[]): string =>
  `<sitemapindex>${urls.map((url) => `<sitemap><loc>${url}</loc></sitemap>`).join('')}</sitemapindex>`;
