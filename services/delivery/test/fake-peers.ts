import { CrawlServiceService as Crawl, Run } from '@tidemark/contracts/crawl/v1/crawl';
import {
  type ChangeEvent,
  DiffServiceService as Diff,
  Entry,
  Record as MadeRecord,
} from '@tidemark/contracts/diff/v1/diff';
import { DiscoveryResponse, MapServiceService as MapRpc } from '@tidemark/contracts/map/v1/map';
import { RunPage } from '@tidemark/contracts/page/v1/page';
import { Channels, ProjectsServiceService as Projects } from '@tidemark/contracts/projects/v1/projects';
import { AppError } from '@tidemark/errors';
import { callerOf, defineService, handle } from '@tidemark/service';
import { type RunningService, startService, withUnimplemented } from '@tidemark/testkit';

/** A run of a project with its record, made up: facts by the place of the entry they are of. */
export interface FakeRun {
  readonly record?: Partial<MadeRecord> | undefined;
  readonly changeEvents: readonly (readonly ChangeEvent[])[];
  readonly entries?: readonly Partial<Entry>[];
}

/** A crawl that others conduct. */
export interface FakeCrawl {
  run: Partial<Run>;
  pages: Partial<RunPage>[];
  readonly events: string[];
  readonly metadataJson: string;
}

/** What tellings ask others for, made up. */
export interface FakePeers extends RunningService {
  readonly workspaces: Map<string, string>;
  readonly channels: Map<string, Partial<Channels>>;
  readonly runs: Map<string, FakeRun>;
  readonly crawls: Map<string, FakeCrawl>;
  /** How the tree of a map differs from the one before, by the map's id. */
  readonly discoveries: Map<string, Partial<DiscoveryResponse>>;
  readonly keptDigests: Map<string, string>;
  /** Whether facts of records can be asked for; a number: only up to that place. */
  listsEvents: boolean | number;
}

/** Entries looked at in one answer: few, so that a record is told in several pages. */
const EVENTS_PER_PAGE = 3;

export const HOOK = 'http://127.0.0.1:9/hook';
export const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

const notFound = (): AppError => new AppError('not_found', 'there is no such thing');

function found<T>(things: Map<string, T>, id: string): T {
  const thing = things.get(id);
  if (thing === undefined) throw notFound();
  return thing;
}

/** As diff reads kinds. */
const isOf = (wanted: string, { kind }: Entry): boolean =>
  wanted === 'changed' ? ['added', 'removed', 'modified', 'template'].includes(kind) : wanted === '' || wanted === kind;

export async function startFakePeers(): Promise<FakePeers> {
  const fake: Omit<FakePeers, keyof RunningService> = {
    ...{ workspaces: new Map(), channels: new Map(), runs: new Map(), crawls: new Map() },
    ...{ discoveries: new Map(), keptDigests: new Map() },
    listsEvents: true,
  };
  /** A thing is seen from its own workspace alone. */
  const seen = <T>(things: Map<string, T>, id: string, ctx: Parameters<typeof callerOf>[0]): T => {
    if (fake.workspaces.get(id) !== callerOf(ctx).workspaceId) throw notFound();
    return found(things, id);
  };
  const projects = [
    handle(Projects.openChannels, async ({ projectId }, ctx) => ({
      channels: Channels.fromPartial({ projectId, ...seen(fake.channels, projectId, ctx) }),
    })),
  ];
  const diff = [
    handle(Diff.getRecord, async ({ runId, limit, kind }, ctx) => {
      const { record, entries = [] } = seen(fake.runs, runId, ctx);
      const wanted = entries.map((entry) => Entry.fromPartial(entry)).filter((entry) => isOf(kind, entry));
      const made = record === undefined ? {} : { record: MadeRecord.fromPartial({ runId, status: 'made', ...record }) };
      return { ...made, entries: wanted.slice(0, limit), last: 0, isMore: wanted.length > limit };
    }),
    handle(Diff.listChangeEvents, async ({ runId, after, limit }, ctx) => {
      const { changeEvents } = seen(fake.runs, runId, ctx);
      if (fake.listsEvents === false || (typeof fake.listsEvents === 'number' && after >= fake.listsEvents))
        throw new AppError('unavailable', 'not now');
      const last = Math.min(after + Math.min(limit, EVENTS_PER_PAGE), changeEvents.length);
      return { events: changeEvents.slice(after, last).flat(), last, isMore: last < changeEvents.length };
    }),
    handle(Diff.storeDigest, async ({ runId, digestJson }) => {
      fake.keptDigests.set(runId, digestJson);
      return {};
    }),
  ];
  const crawl = [
    handle(Crawl.listEnded, async ({ id, after, limit }, ctx) => {
      const { run, pages } = seen(fake.crawls, id, ctx);
      return {
        run: Run.fromPartial({ id, status: 'running', createdAt: new Date(0), startedAt: new Date(0), ...run }),
        pages: pages.map((page, at) => RunPage.fromPartial({ number: at + 1, ...page })).slice(after, after + limit),
      };
    }),
  ];
  const map = [
    handle(MapRpc.discovery, async ({ snapshotId }, ctx) =>
      DiscoveryResponse.fromPartial(seen(fake.discoveries, snapshotId, ctx)),
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
