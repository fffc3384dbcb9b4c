import { type FeedRead, MapRow, MapServiceService as Rpc } from '@tidemark/contracts/map/v1/map';
import { AppError } from '@tidemark/errors';
import { defineService, handle } from '@tidemark/service';
import { type RunningService, startService } from '@tidemark/testkit';

/** The responses of the fake map, for any site. */
export interface FakeMapData {
  /** URLs in the sitemap of any site. */
  sitemap: readonly string[];
  /** The sitemap file of a URL, if it is not `sitemap.xml`. */
  files: Readonly<Record<string, string>>;
  /** Feeds by URL; any other is not found. `silent`: its host does not respond within the time of a request. */
  feeds: Readonly<Record<string, Partial<FeedRead> | 'silent'>>;
  /** Stored trees by their project; `''`: the site's. */
  trees: Readonly<Record<string, readonly string[]>>;
  /** Every call fails with `unavailable`. */
  isMapUnavailable: boolean;
}

/** Starts a fake map service with the same data for every site. */
export function startFakeMap(data: FakeMapData): Promise<RunningService> {
  const unasked = (): never => {
    throw new AppError('internal', 'the fake map is not asked this');
  };
  const here = (): void => {
    if (data.isMapUnavailable) throw new AppError('unavailable', 'the fake map is unavailable');
  };
  const definition = defineService({
    name: 'map',
    config: {},
    async start(app) {
      app.serve(Rpc, [
        handle(Rpc.map, async () => ({ job: jobOf(data.sitemap.length), rows: [], files: [], replayed: false })),
        handle(Rpc.listMapRows, async ({ after, limit }) => ({
          rows: rowsOf(data.sitemap.slice(after, after + limit), data.files),
        })),
        handle(Rpc.findSchemes, async () => unasked()),
        handle(Rpc.getMap, async () => unasked()),
        handle(Rpc.activity, async () => unasked()),
        handle(Rpc.discovery, async () => unasked()),
        handle(Rpc.listEntries, async ({ projectId = '', after, limit }) => {
          here();
          const tree = data.trees[projectId];
          if (tree === undefined) throw new AppError('not_found', 'tree not found');
          const next = after + limit < tree.length ? after + limit : undefined;
          const entries = rowsOf(tree.slice(after, after + limit), data.files);
          return { entries, total: tree.length, snapshotId: 'snp', next, prefixes: [] };
        }),
        handle(Rpc.readFeeds, async ({ urls, limit, withinMs }) => {
          here();
          return { feeds: urls.map((url) => feedOf(url, data.feeds[url], { limit, withinMs })) };
        }),
      ]);
    },
  });
  return startService(definition, {});
}

function feedOf(
  url: string,
  given: FakeMapData['feeds'][string] | undefined,
  { limit, withinMs = 40_000 }: { readonly limit: number; readonly withinMs: number | undefined },
): FeedRead {
  if (given === undefined) return { url, httpStatus: 404, entries: [], error: 'answers 404' };
  if (given === 'silent') return { url, httpStatus: 0, entries: [], error: `not read within ${withinMs} ms` };
  return { url, httpStatus: 200, error: '', ...given, entries: (given.entries ?? []).slice(0, limit) };
}

const rowsOf = (urls: readonly string[], files: FakeMapData['files']): MapRow[] =>
  urls.map((url) =>
    MapRow.fromPartial({ url, source: 'sitemap', file: files[url] ?? new URL('/sitemap.xml', url).href }),
  );

const jobOf = (rows: number) => ({
  id: 'map',
  status: 'done' as const,
  url: '',
  createdAt: new Date(),
  finishedAt: new Date(),
  done: 1,
  total: 1,
  creditsUsed: 0,
  error: undefined,
  stop: undefined,
  requestId: '',
  totals: undefined,
  method: 'sitemap' as const,
  robots: undefined,
  rows,
});
