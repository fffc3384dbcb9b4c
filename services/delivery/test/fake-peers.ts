import { CrawlServiceService as Crawl, Run } from '@tidemark/contracts/crawl/v1/crawl';
import type { Digest } from '@tidemark/contracts/diff/v1/diff';
import {
  AlertMatch,
  type ChangeEvent,
  DiffServiceService as Diff,
  Entry,
  type EntryFilter,
  Record as MadeRecord,
} from '@tidemark/contracts/diff/v1/diff';
import { DiscoveryResponse, MapServiceService as MapRpc } from '@tidemark/contracts/map/v1/map';
import type { RunPage } from '@tidemark/contracts/page/v1/page';
import { Channels, ProjectsServiceService as Projects } from '@tidemark/contracts/projects/v1/projects';
import { AppError } from '@tidemark/errors';
import { callerOf, defineService, handle } from '@tidemark/service';
import { type RunningService, runPage, startService, withUnimplemented } from '@tidemark/testkit';

/** A fake run with its record: change events by the position of their entry. */
export interface FakeRun {
  readonly record?: Partial<MadeRecord> | undefined;
  readonly changeEvents: readonly (readonly ChangeEvent[])[];
  readonly entries?: readonly Partial<Entry>[];
  /** Changes that rules match, by the id of the rule. */
  readonly alerts?: readonly (readonly [ruleId: string, entry: Partial<Entry>])[];
}

/** A fake crawl. */
export interface FakeCrawl {
  run: Partial<Run>;
  pages: Partial<RunPage>[];
  readonly events: string[];
  readonly metadataJson: string | undefined;
}

/** Fakes of the services that delivery queries. */
export interface FakePeers extends RunningService {
  readonly workspaces: Map<string, string>;
  readonly channels: Map<string, Partial<Channels>>;
  readonly runs: Map<string, FakeRun>;
  readonly crawls: Map<string, FakeCrawl>;
  /** Differences between trees, by the map's id. */
  readonly discoveries: Map<string, Partial<DiscoveryResponse>>;
  readonly keptDigests: Map<string, Digest | undefined>;
  /** Whether change events are available; a number: only up to that position. */
  listsEvents: boolean | number;
}

/** Entries per response: few, so that a record needs several pages. */
const EVENTS_PER_PAGE = 3;

export const HOOK = 'http://127.0.0.1:9/hook';
export const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

const notFound = (): AppError => new AppError('not_found', 'thing not found');

function found<T>(things: Map<string, T>, id: string): T {
  const thing = things.get(id);
  if (thing === undefined) throw notFound();
  return thing;
}

/** As diff filters kinds. */
const isOf = (filter: EntryFilter | undefined, { kind }: Entry): boolean =>
  filter === 'changed'
    ? ['added', 'removed', 'modified', 'template'].includes(kind)
    : filter === undefined || filter === kind;

export async function startFakePeers(): Promise<FakePeers> {
  const fake: Omit<FakePeers, keyof RunningService> = {
    workspaces: new Map(),
    channels: new Map(),
    runs: new Map(),
    crawls: new Map(),

    discoveries: new Map(),
    keptDigests: new Map(),
    listsEvents: true,
  };
  /** Objects are visible in their own workspace only. */
  const seen = <T>(things: Map<string, T>, id: string, ctx: Parameters<typeof callerOf>[0]): T => {
    if (fake.workspaces.get(id) !== callerOf(ctx).workspaceId) throw notFound();
    return found(things, id);
  };
  const projects = [
    handle(Projects.openChannels, async ({ projectId }, ctx) => ({
      channels: Channels.fromPartial({ projectId, ...seen(fake.channels, projectId, ctx) }),
    })),
    handle(Projects.listChannels, async (_, ctx) => {
      const { workspaceId } = callerOf(ctx);
      const own = [...fake.channels].filter(([projectId]) => fake.workspaces.get(projectId) === workspaceId);
      return { channels: own.map(([projectId, all]) => Channels.fromPartial({ projectId, ...all })) };
    }),
  ];
  const diff = [
    handle(Diff.getRecord, async ({ runId = '', limit, kind }, ctx) => {
      const { record, entries = [] } = seen(fake.runs, runId, ctx);
      const matching = entries
        .map((entry) => Entry.fromPartial({ kind: 'modified', ...entry }))
        .filter((entry) => isOf(kind, entry));
      const made = record === undefined ? {} : { record: MadeRecord.fromPartial({ runId, status: 'made', ...record }) };
      return { ...made, entries: matching.slice(0, limit), last: 0, isMore: matching.length > limit };
    }),
    handle(Diff.listChangeEvents, async ({ runId, after, limit }, ctx) => {
      const { changeEvents } = seen(fake.runs, runId, ctx);
      if (fake.listsEvents === false || (typeof fake.listsEvents === 'number' && after >= fake.listsEvents))
        throw new AppError('unavailable', 'not now');
      const last = Math.min(after + Math.min(limit, EVENTS_PER_PAGE), changeEvents.length);
      return { events: changeEvents.slice(after, last).flat(), last, isMore: last < changeEvents.length };
    }),
    handle(Diff.listAlertMatches, async ({ runId, limit }, ctx) => {
      const { alerts = [] } = seen(fake.runs, runId, ctx);
      const matches = alerts.map(([id, entry]) =>
        AlertMatch.fromPartial({ alert: { id, name: `Rule ${id}` }, entry: { kind: 'modified', runId, ...entry } }),
      );
      return { matches: matches.slice(0, limit), isMore: matches.length > limit };
    }),
    handle(Diff.storeDigest, async ({ runId, digest }) => {
      fake.keptDigests.set(runId, digest);
      return {};
    }),
  ];
  const crawl = [
    handle(Crawl.listEnded, async ({ id, after, limit }, ctx) => {
      const { run, pages } = seen(fake.crawls, id, ctx);
      return {
        run: Run.fromPartial({
          id,
          status: 'running',
          trigger: 'api',
          createdAt: new Date(0),
          startedAt: new Date(0),
          ...run,
        }),
        pages: pages.map((page, at) => runPage({ number: at + 1, ...page })).slice(after, after + limit),
      };
    }),
  ];
  const map = [
    handle(MapRpc.discovery, async ({ snapshotId }, ctx) =>
      DiscoveryResponse.fromPartial(seen(fake.discoveries, snapshotId ?? '', ctx)),
    ),
  ];
  const definition = defineService({
    name: 'fleet',
    config: {},
    async start(app) {
      app.serve(Projects, withUnimplemented(Projects, projects));
      app.serve(Diff, withUnimplemented(Diff, diff));
      app.serve(Crawl, withUnimplemented(Crawl, crawl));
      app.serve(MapRpc, withUnimplemented(MapRpc, map));
    },
  });
  return Object.assign(fake, await startService(definition, {}));
}
