import { randomUUID } from 'node:crypto';
import { events } from '@tidemark/contracts';
import { DiffServiceService } from '@tidemark/contracts/diff/v1/diff';
import { Bus, defineService, Outbox, openPool, pingDatabase } from '@tidemark/service';
import { AlertPool } from './alerts/alert-pool.ts';
import { makePreviewRule } from './alerts/preview-rule.ts';
import { BlamePool } from './blame/blame-pool.ts';
import { ComparePool } from './comparison/compare-pool.ts';
import { config } from './config.ts';
import { makeOnRunFinished } from './events/on-run-finished.ts';
import { alertMethods } from './grpc/alert-methods.ts';
import { blameMethods } from './grpc/blame-methods.ts';
import { comparisonMethods } from './grpc/comparison-methods.ts';
import { entryMethods } from './grpc/entry-methods.ts';
import { recordMethods } from './grpc/record-methods.ts';
import { makeCompareScreenshots } from './pictures/compare-screenshots.ts';
import { PictureComparer } from './pictures/picture-comparer.ts';
import { makeBlamePage } from './readings/blame-page.ts';
import { makeCompareStoredMarkup } from './readings/compare-stored-markup.ts';
import { makeCompareStoredText } from './readings/compare-stored-text.ts';
import { makeCountWordChanges } from './readings/count-word-changes.ts';
import { MarkupPool } from './readings/markup-pool.ts';
import { openRecordWorkers } from './records/open-record-workers.ts';
import { RecordBuilder } from './records/record-builder.ts';
import { ReleaseGuard } from './records/release-guard.ts';
import { openRetentionSweep } from './records/retention-sweep.ts';
import { AlertStore } from './store/alert-store.ts';
import { BlameStore } from './store/blame-store.ts';
import { DigestStore } from './store/digest-store.ts';
import { DiscardStore } from './store/discard-store.ts';
import { EntryStore } from './store/entry-store.ts';
import { IgnoredBlockStore } from './store/ignored-block-store.ts';
import { KnownPageStore } from './store/known-page-store.ts';
import { RecapturedPageStore } from './store/recaptured-page-store.ts';
import { RecordStore } from './store/record-store.ts';
import { RecordReader } from './store/record-views.ts';
import { ReleaseStore } from './store/release-store.ts';
import { VolatilityJobStore } from './store/volatility-job-store.ts';
import { WordChangesStore } from './store/word-changes-store.ts';
import { openVolatilityWorkers } from './volatility/learning/open-volatility-workers.ts';
import { VolatilityLearner } from './volatility/learning/volatility-learner.ts';

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
    const compare: ComparePool['compare'] = (before, after) => comparePool.compare(before, after);
    const alertPool = app.own(new AlertPool());
    const now = () => new Date();

    const recordStore = new RecordStore(pool, randomUUID);
    const records = new RecordReader(pool);
    const entries = new EntryStore(pool);
    const knownPages = new KnownPageStore(pool);
    const volatilityJobs = new VolatilityJobStore(pool, randomUUID);
    const releases = new ReleaseStore(pool);
    const discards = new DiscardStore(pool);

    const builder = new RecordBuilder({
      pool,
      archive,
      crawl,
      scrape,
      compare,
      alertPool,
      records: recordStore,
      knownPages,
      recapturedPages: new RecapturedPageStore(pool),
      volatilityJobs,
      releaseGuard: new ReleaseGuard({ releases, release: settings.TIDEMARK_RELEASE, log }),
      recaptureDelaySeconds: settings.RECAPTURE_DELAY_SECONDS,
      publish: (events) => outbox.send(events),
      now,
      log,
    });
    const workers = app.own(
      openRecordWorkers({
        builder,
        maxConcurrentRecords: settings.MAX_CONCURRENT_RECORDS,
        pollSeconds: settings.RECORD_POLL_SECONDS,
        log,
      }),
    );
    const learner = new VolatilityLearner({
      pool,
      archive,
      crawl,
      scrape,
      compare,
      jobs: volatilityJobs,
      knownPages,
      gapSeconds: settings.RECAPTURE_GAP_SECONDS,
      now,
      log,
    });
    app.own(openVolatilityWorkers({ learner, pollSeconds: settings.RECORD_POLL_SECONDS, log }));
    app.own(openRetentionSweep({ discards, releases, log }));

    const markupPool = app.own(new MarkupPool({ threads: 1 }));
    const pictureComparer = app.own(new PictureComparer());
    const blamePool = app.own(new BlamePool());
    app.serve(DiffServiceService, [
      ...recordMethods({ records, entries, digests: new DigestStore(pool) }),
      ...entryMethods({ records, entries, ignoredBlocks: new IgnoredBlockStore(pool), now: () => new Date() }),
      ...comparisonMethods({
        compareText: makeCompareStoredText({ archive, records, knownPages, comparePool }),
        compareMarkup: makeCompareStoredMarkup({ archive, records, markupPool }),
        compareScreenshots: makeCompareScreenshots({ archive, pictureComparer }),
        countWordChanges: makeCountWordChanges({
          archive,
          wordChanges: new WordChangesStore(pool),
          comparePool,
          nowMs: Date.now,
        }),
      }),
      ...alertMethods({
        alerts: new AlertStore(pool),
        previewRule: makePreviewRule({ entries, pool: alertPool, nowMs: Date.now }),
      }),
      ...blameMethods({
        blamePage: makeBlamePage({ archive, blames: new BlameStore(pool), pool: blamePool, nowMs: Date.now }),
      }),
    ]);
    const onRunFinished = makeOnRunFinished({ records: recordStore, workers });
    bus.consume(events.runFinished, 'diff', (batch) => onRunFinished(batch.map(({ event }) => event)));
    bus.consume(events.runDiscarded, 'diff', (batch) => discards.discardRuns(batch.map(({ event }) => event)));
    bus.consume(events.projectDeleted, 'diff', (batch) => discards.discardProjects(batch.map(({ event }) => event)));
    app.ready('postgres', () => pingDatabase(pool));
    app.ready('nats', () => bus.ping());
    await bus.prepare();
  },
});
