import { randomUUID } from 'node:crypto';
import { events } from '@tidemark/contracts';
import { type App, type Bus, PeriodicTask, type ReceivedEvent, repeatUntilDone } from '@tidemark/service';
import type pg from 'pg';
import { AskStore } from './ask-store.ts';
import { CrawlWatcher } from './crawl-watcher.ts';
import { DigestAsker } from './digest-asker.ts';
import { FactTeller } from './fact-teller.ts';
import { Fleet, type Peers } from './fleet.ts';
import type { People, Queue } from './ports.ts';
import { RunTeller } from './run-teller.ts';
import { tellEach } from './tell-each.ts';
import { TellingStore } from './telling-store.ts';
import { WatchStore } from './watch-store.ts';

/** Runs told of at once: a long record holds up nothing but its own lane. */
const LANES = 4;
/** Models asked at once: lanes of their own, of which a workspace has one. */
const ASK_LANES = 8;
/** How often what was put off is looked for; what is new is told at once. */
const LATER_MS = 2_000;
const LOOK_MS = 500;
const SWEEP_MS = 3_600_000;
/** How long a run that has ended waits for its record. */
const WITHOUT_RECORD_SECONDS = 15 * 60;
/** How long a telling waits for what a model says. */
const DIGEST_WAIT_SECONDS = 40;

export interface TellingDeps {
  readonly pool: pg.Pool;
  readonly bus: Bus;
  readonly peers: Peers;
  readonly queue: Queue;
  readonly people: People;
  /** Notes that projects are gone, and forgets their receivers and deliveries. May run twice. */
  readonly forgetProjects: (projectIds: readonly string[]) => Promise<void>;
  readonly now: () => Date;
  readonly withoutRecordSeconds?: number;
  readonly digestWaitSeconds?: number;
}

/** Hears what happens, and tells it whoever asked to know. To be called before the bus is prepared. */
export function openTelling(app: Pick<App<unknown>, 'own' | 'log'>, deps: TellingDeps): void {
  const { pool, bus, queue, people, now, withoutRecordSeconds = WITHOUT_RECORD_SECONDS } = deps;
  const { log } = app;
  const fleet = new Fleet(deps.peers);
  const tellings = new TellingStore(pool, randomUUID);
  const watches = new WatchStore(pool, randomUUID);
  const around = { pool, fleet, people, queue, now, log };
  const asks = new AskStore(pool);
  const { digestWaitSeconds = DIGEST_WAIT_SECONDS } = deps;
  const teller = new RunTeller({ ...around, tellings, asks, digestWaitSeconds, toAsk: () => askModels() });
  const asker = new DigestAsker({ asks, fleet, people, log, answered: () => tellRuns() });
  const watcher = new CrawlWatcher({ ...around, watches });
  const single = new FactTeller(around);
  const rounds = (everyMs: number, failed: string, round: (goesOn: () => boolean) => Promise<unknown>): PeriodicTask =>
    app.own(new PeriodicTask({ everyMs, run: round, failed, log }));

  const lanesOf = (length: number, failed: string, piece: () => Promise<boolean>) => {
    const lanes = Array.from({ length }, () => rounds(LATER_MS, failed, (goesOn) => repeatUntilDone(piece, goesOn)));
    return (): void => {
      for (const lane of lanes) void lane.runNow();
    };
  };
  const tellRuns = lanesOf(LANES, 'runs could not be told of; the next round tries', () => teller.tellNext());
  const askModels = lanesOf(ASK_LANES, 'models could not be asked; the next round tries', () => asker.askNext());
  const looks = rounds(LOOK_MS, 'crawls could not be looked at; the next round tries', (goesOn) =>
    repeatUntilDone(() => watcher.lookAround(goesOn), goesOn),
  );
  rounds(SWEEP_MS, 'old tellings could not be forgotten; the next round tries', async () => {
    const untold = { runs: await tellings.sweep(), crawls: await watches.sweep() };
    if (untold.runs + untold.crawls > 0) log.error(untold, 'runs were forgotten that could not be told of to the end');
  });

  bus.consume(events.runFinished, 'delivery', async (batch) => {
    await tellings.noteFinished(factsOf(batch), withoutRecordSeconds);
    tellRuns();
  });
  bus.consume(events.changeReady, 'delivery', async (batch) => {
    await tellings.noteReady(factsOf(batch));
    tellRuns();
  });
  bus.consume(events.runWatched, 'delivery', async (batch) => {
    await watcher.watch(factsOf(batch));
    void looks.runNow();
  });
  hearSingles(bus, single);
  bus.consume(events.projectDeleted, 'delivery', async (batch) => {
    const projectIds = factsOf(batch).map(({ projectId }) => projectId);
    await deps.forgetProjects(projectIds);
    await tellings.forgetProjects(projectIds);
  });
}

/** Facts that are told by themselves, as they are heard. */
function hearSingles(bus: Bus, single: FactTeller): void {
  bus.consume(events.siteHealthChanged, 'delivery', (batch) =>
    tellEach(
      factsOf(batch),
      ({ projectId }) => projectId,
      (fact) => single.tellHealth(fact),
    ),
  );
  bus.consume(events.mapEnded, 'delivery', (batch) =>
    tellEach(
      factsOf(batch),
      ({ projectId }) => projectId,
      (fact) => single.tellMap(fact),
    ),
  );
  bus.consume(events.batchEnded, 'delivery', (batch) =>
    tellEach(
      factsOf(batch),
      ({ job }) => job?.id ?? '',
      (fact) => single.tellBatch(fact),
    ),
  );
}

const factsOf = <T>(batch: readonly ReceivedEvent<T>[]): T[] => batch.map(({ event }) => event);
