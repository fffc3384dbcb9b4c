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
  type Ground,
  layGround,
  newWorkspace,
  type RunningService,
  startFakeBilling,
  startService,
  startWebSite,
  until,
  type WebSite,
} from '@tidemark/testkit';
import { map } from '../src/service.ts';

/** Map between real web sites, a database, a bus and a blob store of its own; billing is a fake. */
export interface MapGround extends Ground {
  readonly billing: FakeBilling;
  readonly site: WebSite;
  /** A host that the first one may speak for, or not. */
  readonly other: WebSite;
  readonly serviceEnv: Readonly<Record<string, string>>;
  service: RunningService;
  replica(env?: Readonly<Record<string, string>>): Promise<RunningService>;
}

export type Answers = Readonly<Record<string, string | Buffer | number | RequestListener>>;

/** A site made of its files; what it doesn't have is not found. */
export const siteOf =
  (answers: () => Answers): RequestListener =>
  (request, response) => {
    const answer = answers()[request.url ?? ''];
    if (answer === undefined) response.writeHead(404).end('not here');
    else if (typeof answer === 'number') response.writeHead(answer).end();
    else if (typeof answer === 'function') answer(request, response);
    else response.end(answer);
  };

export async function openMap(listener: RequestListener, otherListener: RequestListener): Promise<MapGround> {
  const ground = await layGround();
  const billing = ground.own(await startFakeBilling(ground.nats.url));
  const site = ground.own(await startWebSite(listener));
  const other = ground.own(await startWebSite(otherListener));
  const serviceEnv = {
    ...ground.env,
    BILLING_ADDR: billing.address,
    TIDEMARK_EGRESS_ALLOW: `${site.host},${other.host}`,
  };
  const replica: MapGround['replica'] = async (env = {}) =>
    ground.own(await startService(map, { ...serviceEnv, ...env }));
  return { ...ground, billing, site, other, serviceEnv, service: await replica(), replica };
}

/** One workspace as it uses map, with a key for these projects alone; none: for all. */
export function clientIn(ground: MapGround, workspaceId = newWorkspace(), projects: readonly string[] = []) {
  const caller = callerIn(workspaceId, { projects });
  const peer = () => ground.service.peer;
  const ask = async (options: Partial<MapOptions> = {}, more: Partial<MapRequest> = {}) => {
    const answer = await peer().call(
      Rpc.map,
      {
        url: `${ground.site.origin}/`,
        options: { search: '', limit: 5_000, sitemapMode: 'auto', allowSubdomains: false, forCrawl: false, ...options },
        waitMs: 20_000,
        idempotencyKey: '',
        requestHash: '',
        ...more,
      },
      caller,
      { deadlineMs: 40_000 },
    );
    return { ...answer, rows: rowsOf(answer) };
  };
  const job = async (id: string) => (await peer().call(Rpc.getMap, { id, withFiles: true }, caller)).job;
  return {
    workspaceId,
    caller,
    map: ask,
    job,
    files: async (id: string) => (await peer().call(Rpc.getMap, { id, withFiles: true }, caller)).files,
    rows: async (id: string, after: number, limit: number) =>
      (await peer().call(Rpc.listMapRows, { id, after, limit }, caller)).rows,
    discovery: (url: string, snapshotId = '', projectId = '') =>
      peer().call(Rpc.discovery, { url, snapshotId, projectId }, caller),
    entries: (file: string, more: Partial<ListEntriesRequest> = {}) => {
      const asked = {
        url: `${ground.site.origin}/`,
        snapshotId: '',
        file,
        prefix: '',
        q: '',
        after: 0,
        limit: 100,
        ...more,
      };
      return peer().call(Rpc.listEntries, asked, caller);
    },
    /** The job once it has ended. */
    ended: (id: string) =>
      until(`map ${id} to end`, async () => {
        const found = await job(id);
        return found !== undefined && found.status !== 'running' && found;
      }),
    /** The credits heard to be spent by the workspace, once nothing is held back any more. */
    spent: () =>
      until('every lease of the workspace to be closed', () => {
        if ([...ground.billing.leases.values()].some((lease) => lease.workspaceId === workspaceId)) return undefined;
        const charges = [...ground.billing.spent.values()].filter((charge) => charge.workspaceId === workspaceId);
        return { credits: charges.reduce((sum, { credits }) => sum + credits, 0) };
      }),
  };
}

/** The rows of an answer. */
export const rowsOf = ({ rows }: MapResponse): MapRow[] =>
  rows.flatMap((document): unknown[] => JSON.parse(document.toString('utf8'))).map((row) => MapRow.fromJSON(row));

export const newKey = (): string => newId('req');

/** A urlset of these paths. */
export const urlset = (origin: string, paths: readonly string[], lastmod = ''): string =>
  `<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${paths
    .map((path) => `<url><loc>${origin}${path}</loc>${lastmod === '' ? '' : `<lastmod>${lastmod}</lastmod>`}</url>`)
    .join('')}</urlset>`;

export const indexOf = (urls: readonly string[]): string =>
  `<sitemapindex>${urls.map((url) => `<sitemap><loc>${url}</loc></sitemap>`).join('')}</sitemapindex>`;
