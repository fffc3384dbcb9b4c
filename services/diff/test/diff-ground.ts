import { facts, newId } from '@tidemark/contracts';
import { type GetRecordResponse, DiffServiceService as Rpc } from '@tidemark/contracts/diff/v1/diff';
import { Bus, createLogger, outgoing } from '@tidemark/service';
import {
  callerIn,
  type Ground,
  layGround,
  newWorkspace,
  type RunningService,
  startService,
  until,
} from '@tidemark/testkit';
import { diff } from '../src/service.ts';
import { type FakeFleet, type MadePage, startFakeFleet } from './fake-fleet.ts';

/** Diff beside a real database and bus; what it asks others for is made up. */
export interface DiffGround {
  readonly ground: Ground;
  readonly fleet: FakeFleet;
  readonly service: RunningService;
  readonly bus: Bus;
  start(more?: Readonly<Record<string, string>>): Promise<RunningService>;
  close(): Promise<void>;
}

/** `settings` of the service, where they are not the usual ones. Second fetches are an hour away. */
export async function openDiff(settings: Readonly<Record<string, string>> = {}): Promise<DiffGround> {
  const ground = await layGround();
  const fleet = ground.own(await startFakeFleet());
  const peers = { ARCHIVE_ADDR: fleet.address, CRAWL_ADDR: fleet.address, SCRAPE_ADDR: fleet.address };
  const start = async (more: Readonly<Record<string, string>> = {}) =>
    ground.own(
      await startService(diff, {
        ...ground.env,
        ...peers,
        RECORD_SECONDS: '0.1',
        SECOND_FETCH_SECONDS: '3600',
        ...settings,
        ...more,
      }),
    );
  const service = await start();
  const bus = ground.own(await Bus.connect(ground.nats.url, 'test', createLogger('test', 'fatal')));
  return { ground, fleet, service, bus, start, close: () => ground.close() };
}

/** How a made-up run ended. */
export interface RunWish {
  readonly pages: readonly MadePage[];
  readonly config?: Readonly<Record<string, unknown>>;
  readonly seed?: string;
  readonly trigger?: string;
  readonly status?: string;
  readonly stop?: string;
}

/** A project whose runs end one after the other. */
export function projectIn({ fleet, service, bus }: DiffGround, workspaceId = newWorkspace()) {
  const projectId = newId('prj');
  const caller = callerIn(workspaceId);
  const tell = (runId: string, { pages, trigger = 'api', status = 'done', stop = 'finished' }: RunWish) =>
    bus.publish(facts.runFinished.subject, [
      outgoing(facts.runFinished, `finished:${runId}`, {
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
      }),
    ]);
  const record = (runId = '', more: { after?: number; limit?: number; kind?: string; unreviewed?: boolean } = {}) =>
    service.peer.call(
      Rpc.getRecord,
      { projectId, runId, after: 0, limit: 1_000, kind: '', unreviewed: false, ...more },
      caller,
    );
  const made = (runId: string): Promise<GetRecordResponse> =>
    until(`the record of ${runId}`, async () => {
      const answer = await record(runId);
      return answer.record?.status === 'made' || answer.record?.status === 'failed' ? answer : undefined;
    });
  /** A run ends, and is heard of. */
  const end = async (wish: RunWish): Promise<string> => {
    const id = newId('run');
    fleet.add({ id, workspaceId, projectId, ...wish });
    await tell(id, wish);
    return id;
  };
  /** A run ends, and its record is made. */
  const run = async (wish: RunWish): Promise<GetRecordResponse> => made(await end(wish));
  return { workspaceId, projectId, caller, tell, record, made, end, run };
}
