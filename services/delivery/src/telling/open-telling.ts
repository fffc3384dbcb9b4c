import { randomUUID } from 'node:crypto';
import { facts } from '@tidemark/contracts';
import { type App, type Bus, type Delivered, inPieces, Rounds } from '@tidemark/service';
import type pg from 'pg';
import { CrawlWatcher } from './crawl-watcher.ts';
import { FactTeller } from './fact-teller.ts';
import { Fleet, type Peers } from './fleet.ts';
import type { People, Queue } from './ports.ts';
import { RunTeller } from './run-teller.ts';
import { TellingStore } from './telling-store.ts';
import { WatchStore } from './watch-store.ts';

/** Runs told of at once: a long record holds up nothing but its own lane. */
const LANES = 4;
/** How often what was put off is looked for; what is new is told at once. */
const LATER_MS = 2_000;
const LOOK_MS = 500;
const SWEEP_MS = 3_600_000;
/** How long a run that has ended waits for its record. */
const WITHOUT_RECORD_SECONDS = 15 * 60;

export interface TellingDeps {
  readonly pool: pg.Pool;
  readonly bus: Bus;
  readonly peers: Peers;
  readonly queue: Queue;
  readonly people: People;
  /** What else is forgotten with projects that are gone: their receivers and deliveries. May run twice. */
  readonly forgetProjects: (projectIds: readonly string[]) => Promise<void>;
  readonly now: () => Date;
  readonly withoutRecordSeconds?: number;
}

/** Hears what happens, and tells it whoever asked to know. To be called before the bus is prepared. */
export function openTelling(app: Pick<App<unknown>, 'own' | 'log'>, deps: TellingDeps): void {
  const { pool, bus, queue, people, now, withoutRecordSeconds = WITHOUT_RECORD_SECONDS } = deps;
  const { log } = app;
  const fleet = new Fleet(deps.peers);
  const tellings = new TellingStore(pool, randomUUID);
  const watches = new WatchStore(pool, randomUUID);
  const around = { pool, fleet, people, queue, now, log };
  const teller = new RunTeller({ ...around, tellings });
  const watcher = new CrawlWatcher({ ...around, watches });
  const single = new FactTeller(around);
  const rounds = (everyMs: number, failed: string, round: (goesOn: () => boolean) => Promise<unknown>): Rounds =>
    app.own(new Rounds({ everyMs, round, failed, log }));

  const lanes = Array.from({ length: LANES }, () =>
    rounds(LATER_MS, 'runs could not be told of; the next round tries', (goesOn) =>
      inPieces(() => teller.tellNext(), goesOn),
    ),
  );
  const tellRuns = (): void => {
    for (const lane of lanes) void lane.go();
  };
  const looks = rounds(LOOK_MS, 'crawls could not be looked at; the next round tries', (goesOn) =>
    inPieces(() => watcher.lookAround(), goesOn),
  );
  rounds(SWEEP_MS, 'old tellings could not be forgotten; the next round tries', async () => {
    await tellings.sweep();
    await watches.sweep();
  });

  bus.consume(facts.runFinished, 'delivery', async (batch) => {
    await tellings.noteFinished(factsOf(batch), withoutRecordSeconds);
    tellRuns();
  });
  bus.consume(facts.changeReady, 'delivery', async (batch) => {
    await tellings.noteReady(factsOf(batch));
    tellRuns();
  });
  bus.consume(facts.runWatched, 'delivery', async (batch) => {
    await watches.note(factsOf(batch));
    void looks.go();
  });
  bus.consume(facts.siteHealthChanged, 'delivery', (batch) => each(batch, (fact) => single.tellHealth(fact)));
  bus.consume(facts.mapEnded, 'delivery', (batch) => each(batch, (fact) => single.tellMap(fact)));
  bus.consume(facts.batchEnded, 'delivery', (batch) => each(batch, (fact) => single.tellBatch(fact)));
  bus.consume(facts.projectDeleted, 'delivery', async (batch) => {
    const projectIds = factsOf(batch).map(({ projectId }) => projectId);
    await tellings.forgetProjects(projectIds);
    await deps.forgetProjects(projectIds);
  });
}

const factsOf = <T>(batch: readonly Delivered<T>[]): T[] => batch.map(({ fact }) => fact);

async function each<T>(batch: readonly Delivered<T>[], tell: (fact: T) => Promise<void>): Promise<void> {
  for (const { fact } of batch) await tell(fact);
}
