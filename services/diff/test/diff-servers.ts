import { events, newId, type StopReason } from '@tidemark/contracts';
import type { CoverageEstimate } from '@tidemark/contracts/crawl/v1/crawl';
import { type EntryFilter, type GetRecordResponse, DiffServiceService as Rpc } from '@tidemark/contracts/diff/v1/diff';
import type { JobStatus, RunTrigger } from '@tidemark/contracts/job/v1/job';
import { Bus, createLogger, outgoingEvent } from '@tidemark/service';
import {
  callerIn,
  newWorkspace,
  type RunningService,
  startService,
  startTestServers,
  type TestServers,
  until,
} from '@tidemark/testkit';
import { diff } from '../src/service.ts';
import { type FakePage, type FakePeers, startFakePeers } from './fake-peers.ts';

/** Diff with a real database and bus, and fake peers. */
export interface DiffTestServers {
  readonly servers: TestServers;
  readonly peers: FakePeers;
  readonly service: RunningService;
  readonly bus: Bus;
  start(more?: Readonly<Record<string, string>>): Promise<RunningService>;
  close(): Promise<void>;
}

/** Starts diff. `settings` override defaults; recaptures are delayed by an hour. */
export async function startDiffServers(settings: Readonly<Record<string, string>> = {}): Promise<DiffTestServers> {
  const servers = await startTestServers();
  const peers = servers.own(await startFakePeers());
  const addresses = { ARCHIVE_ADDR: peers.address, CRAWL_ADDR: peers.address, SCRAPE_ADDR: peers.address };
  const start = async (more: Readonly<Record<string, string>> = {}) =>
    servers.own(
      await startService(diff, {
        ...servers.env,
        ...addresses,
        RECORD_POLL_SECONDS: '0.1',
        RECAPTURE_DELAY_SECONDS: '3600',
        ...settings,
        ...more,
      }),
    );
  const service = await start();
  const bus = servers.own(await Bus.connect(servers.nats.url, 'test', createLogger('test', 'fatal')));
  return { servers, peers, service, bus, start, close: () => servers.close() };
}

/** How a fake run ended. */
export interface RunSpec {
  readonly pages: readonly FakePage[];
  readonly config?: Readonly<Record<string, unknown>>;
  readonly seed?: string;
  readonly trigger?: RunTrigger;
  readonly status?: JobStatus;
  readonly stop?: StopReason;
  readonly coverage?: CoverageEstimate;
}

/** Returns a project whose runs finish one after the other. */
export function projectIn({ peers, service, bus }: DiffTestServers, workspaceId = newWorkspace()) {
  const projectId = newId('prj');
  const caller = callerIn(workspaceId);
  const publishFinished = (runId: string, { pages, trigger = 'api', status = 'done', stop = 'finished' }: RunSpec) =>
    bus.publish(events.runFinished.subject, [
      outgoingEvent(events.runFinished, `finished:${runId}`, {
        runId,
        workspaceId,
        projectId,
        trigger,
        status,
        stop,
        finishedAt: new Date(),
        pages: pages.length,
        counts: {},
        creditsUsed: pages.length,
        hasCoverage: status === 'done' && trigger !== 'recrawl' && pages.length > 0,
      }),
    ]);
  const record = (
    runId: string,
    more: { after?: number; limit?: number; kind?: EntryFilter; unreviewed?: boolean } = {},
  ) =>
    service.peer.call(Rpc.getRecord, { projectId, runId, after: 0, limit: 1_000, unreviewed: false, ...more }, caller);
  const awaitRecord = (runId: string): Promise<GetRecordResponse> =>
    until(`the record of ${runId}`, async () => {
      const response = await record(runId);
      return response.record?.status === 'made' || response.record?.status === 'failed' ? response : undefined;
    });
  /** Finishes a run and publishes its event. */
  const finishRun = async (spec: RunSpec): Promise<string> => {
    const id = newId('run');
    peers.add({ id, workspaceId, projectId, ...spec });
    await publishFinished(id, spec);
    return id;
  };
  /** Finishes a run and waits for its record. */
  const run = async (spec: RunSpec): Promise<GetRecordResponse> => awaitRecord(await finishRun(spec));
  return { workspaceId, projectId, caller, publishFinished, record, awaitRecord, finishRun, run };
}
