import { events } from '@tidemark/contracts';
import { DiffServiceService } from '@tidemark/contracts/diff/v1/diff';
import { Bus, defineService, Outbox, openPool, pingDatabase } from '@tidemark/service';
import { ComparePool } from './comparison/compare-pool.ts';
import { config } from './config.ts';
import { diffGrpc } from './grpc/diff-methods.ts';
import { openReadingComparisons } from './readings/open-reading-comparisons.ts';
import { openRecordBuilding } from './records/open-record-workers.ts';
import { openRetention } from './records/open-retention.ts';
import { DigestStore } from './store/digest-store.ts';
import { EntryStore } from './store/entry-store.ts';
import { IgnoredBlockStore } from './store/ignored-block-store.ts';
import { KnownPageStore } from './store/known-page-store.ts';
import { RecordReader } from './store/record-views.ts';
import { openVolatilityLearning } from './volatility/learning/open-volatility-learning.ts';

/** Computes the changes between two runs of a project and states what could not be determined. */
export const diff = defineService({
  name: 'diff',
  config,
  async start(app) {
    const { config: settings, log } = app;
    // A record being built holds one connection for its transaction and reads through others.
    const pool = app.own(openPool(settings.DATABASE_URL, 'diff', settings.MAX_CONCURRENT_RECORDS * 2 + 4));
    const bus = app.own(await Bus.connect(settings.NATS_URL, 'diff', log));
    const outbox = app.own(new Outbox(pool, bus, 'diff', log));
    const archive = app.dial('archive', settings.ARCHIVE_ADDR);
    const crawl = app.dial('crawl', settings.CRAWL_ADDR);
    const scrape = app.dial('scrape', settings.SCRAPE_ADDR);
    const comparePool = app.own(new ComparePool({ threads: settings.COMPARE_THREADS }));
    const recordReader = new RecordReader(pool);

    const recordBuilding = app.own(
      openRecordBuilding({
        pool,
        archive,
        crawl,
        scrape,
        comparePool,
        release: settings.TIDEMARK_RELEASE,
        maxConcurrentRecords: settings.MAX_CONCURRENT_RECORDS,
        pollSeconds: settings.RECORD_POLL_SECONDS,
        recaptureDelaySeconds: settings.RECAPTURE_DELAY_SECONDS,
        publish: (events) => outbox.send(events),
        log,
      }),
    );
    app.own(
      openVolatilityLearning({
        pool,
        archive,
        crawl,
        scrape,
        comparePool,
        pollSeconds: settings.RECORD_POLL_SECONDS,
        recaptureGapSeconds: settings.RECAPTURE_GAP_SECONDS,
        log,
      }),
    );
    const retention = app.own(openRetention({ pool, log }));
    const comparisons = app.own(
      openReadingComparisons({ archive, recordReader, comparePool, knownPages: new KnownPageStore(pool) }),
    );

    app.serve(
      DiffServiceService,
      diffGrpc({
        records: recordReader,
        entries: new EntryStore(pool),
        ignoredBlocks: new IgnoredBlockStore(pool),
        digests: new DigestStore(pool),
        comparisons: comparisons.service,
        compareScreenshots: comparisons.compareScreenshots,
      }),
    );
    bus.consume(events.runFinished, 'diff', (batch) => recordBuilding.enqueue(batch.map(({ event }) => event)));
    bus.consume(events.runDiscarded, 'diff', (batch) => retention.discardRuns(batch.map(({ event }) => event)));
    bus.consume(events.projectDeleted, 'diff', (batch) => retention.discardProjects(batch.map(({ event }) => event)));
    app.ready('postgres', () => pingDatabase(pool));
    app.ready('nats', () => bus.ping());
    await bus.prepare();
  },
});
