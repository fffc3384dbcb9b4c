import { facts } from '@tidemark/contracts';
import { DiffServiceService } from '@tidemark/contracts/diff/v1/diff';
import type { PageBlocks } from '@tidemark/contracts/page/v1/blocks';
import { Bus, defineService, Outbox, type Outgoing, openPool, pingDatabase, Rounds } from '@tidemark/service';
import { ComparePool } from './compare/compare-pool.ts';
import { CompareDesk } from './compare-desk.ts';
import { config } from './config.ts';
import { diffGrpc } from './grpc.ts';
import { openMaking } from './making/open-making.ts';
import { MarkupPool } from './markup/markup-pool.ts';
import { PictureComparer } from './pictures/picture-comparer.ts';
import { PictureDesk } from './pictures/picture-desk.ts';
import { DigestStore } from './store/digest-store.ts';
import { DiscardStore } from './store/discard-store.ts';
import { EntryStore } from './store/entry-store.ts';
import { RecordViews } from './store/record-views.ts';

const SWEEP_MS = 10 * 60_000;

/** What changed between two runs, and what can't be known. */
export const diff = defineService({
  name: 'diff',
  config,
  async start(app) {
    const { DATABASE_URL, NATS_URL, RECORDS_AT_ONCE, COMPARE_THREADS: threads } = app.config;
    // Each record that is made holds one connection while it reads through others.
    const pool = app.own(openPool(DATABASE_URL, 'diff', RECORDS_AT_ONCE * 2 + 4));
    const bus = app.own(await Bus.connect(NATS_URL, 'diff', app.log));
    const outbox = app.own(new Outbox(pool, bus, 'diff', app.log));
    const archive = app.dial('archive', app.config.ARCHIVE_ADDR);
    const comparers = app.own(new ComparePool({ threads }));
    const markup = app.own(new MarkupPool({ threads: 1 }));
    const compare = (before: PageBlocks, after: PageBlocks) => comparers.compare(before, after);
    const compareNow = (before: PageBlocks, after: PageBlocks) => comparers.compareNow(before, after);

    const tell = (told: readonly Outgoing[]) => outbox.send(told);
    const { records, releases, lanes } = openMaking(app, { pool, archive, compare, tell });

    const views = new RecordViews(pool);
    const pictures = new PictureDesk(archive, app.own(new PictureComparer()));
    const desk = new CompareDesk({ archive, records: views, compare: compareNow, markup });
    app.serve(
      DiffServiceService,
      diffGrpc({ records: views, entries: new EntryStore(pool), digests: new DigestStore(pool), desk, pictures }),
    );
    const discards = new DiscardStore(pool);
    app.own(
      new Rounds({
        everyMs: SWEEP_MS,
        round: async (goesOn) => {
          await discards.sweep(goesOn);
          await releases.forgetOld();
        },
        failed: 'what makers left could not be swept; the next round tries',
        log: app.log,
      }),
    );
    bus.consume(facts.runFinished, 'diff', async (batch) => {
      await records.note(batch.map(({ fact }) => fact));
      for (const lane of lanes) void lane.go();
    });
    bus.consume(facts.runDiscarded, 'diff', (batch) => discards.discardRuns(batch.map(({ fact }) => fact)));
    bus.consume(facts.projectDeleted, 'diff', (batch) => discards.discardProjects(batch.map(({ fact }) => fact)));
    app.ready('postgres', () => pingDatabase(pool));
    app.ready('nats', () => bus.ping());
    await bus.prepare();
  },
});
