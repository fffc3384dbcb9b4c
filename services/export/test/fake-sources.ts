import { ArchiveServiceService as Archive, QueryPagesResponse } from '@tidemark/contracts/archive/v1/archive';
import { CrawlServiceService as Crawl, GetRunResponse } from '@tidemark/contracts/crawl/v1/crawl';
import {
  DiffServiceService as Diff,
  Entry,
  GetRecordResponse,
  Record as MadeRecord,
  type RecordStatus,
} from '@tidemark/contracts/diff/v1/diff';
import type { RunTrigger } from '@tidemark/contracts/job/v1/job';
import { DiscoveryResponse, ListEntriesResponse, MapServiceService as MapRpc } from '@tidemark/contracts/map/v1/map';
import { type Page, PageBodies, PageRow, RunPage } from '@tidemark/contracts/page/v1/page';
import { AppError } from '@tidemark/errors';
import { defineService, handle } from '@tidemark/service';
import { type RunningService, startService, withUnimplemented } from '@tidemark/testkit';

export interface FakePage {
  readonly url: string;
  readonly words: number;
  readonly fields?: object;
}

/** A run as crawl, archive and diff report it. */
export interface FakeRun {
  readonly projectId: string;
  pages: FakePage[];
  /** Pages that are counted and can no longer be read: the run is being deleted. */
  missing?: number;
  readonly finishedAt: Date;
  readonly trigger?: RunTrigger;
  /** Absent: diff has no record of it. */
  record?: { status: RecordStatus; isVerdict: boolean } | undefined;
  entries?: Partial<Entry>[];
  /** Empty or absent: the run is compared with no run. */
  baselineRunId?: string;
}

/** The stored sitemap tree of a project. */
export interface FakeTree {
  readonly urls: readonly string[];
  readonly complete: boolean;
}

/** Fakes of the services that hold the rows of syncs. */
export interface FakeSources extends RunningService {
  readonly runs: Map<string, FakeRun>;
  /** Pages of scrapes and batches. */
  readonly jobs: Map<string, FakePage[]>;
  /** Sitemap trees by project. */
  readonly trees: Map<string, FakeTree>;
  /** Delays each batch of pages, until it resolves. */
  gate: Promise<void>;
  isArchiveDown: boolean;
  /** Reads of pages of runs so far. */
  reads: number;
}

const SEED = 'https://a.example/';
export const CRAWLED_AT = new Date('2026-03-04T05:06:07.000Z');

function toPage({ url, words, fields }: FakePage, index: number): Page {
  const row = PageRow.fromPartial({
    id: `cap_${index}`,
    url,
    askedUrl: url,
    httpStatus: 200,
    verdict: 'ok',
    errorCode: 'OK',
    words,

    formats: ['markdown'],
    title: `Title of ${url}`,
    crawledAt: CRAWLED_AT,
  });
  const bodies = PageBodies.encode(
    PageBodies.fromPartial({
      markdown: `# ${url}`,
      headJson: '{}',
      ...(fields === undefined ? {} : { fieldsJson: JSON.stringify(fields) }),
    }),
  ).finish();
  return { row, bodies: Buffer.from(bodies) };
}

export async function startFakeSources(): Promise<FakeSources> {
  const fake: Omit<FakeSources, keyof RunningService> = {
    runs: new Map(),
    jobs: new Map(),
    trees: new Map(),
    gate: Promise.resolve(),
    isArchiveDown: false,
    reads: 0,
  };
  const found = (id: string): FakeRun => {
    const run = fake.runs.get(id);
    if (run === undefined) throw new AppError('not_found', 'run not found');
    return run;
  };
  const archive = [
    handle(Archive.queryPages, async ({ run, after, limit }) => {
      fake.reads += 1;
      await fake.gate;
      if (fake.isArchiveDown) throw new AppError('unavailable', 'archive is unavailable');
      const { pages, missing = 0 } = found(run?.runId ?? '');
      const slice = pages.slice(after, after + limit);
      return QueryPagesResponse.fromPartial({
        pages: slice.map((page, at) => ({
          page: toPage(page, after + at),
          known: RunPage.fromPartial({ pageId: `cap_${after + at}`, number: after + at + 1, foundVia: 'link' }),
        })),
        last: after + slice.length,
        isMore: after + slice.length < pages.length,
        total: pages.length + missing,
      });
    }),
    handle(Archive.listPages, async ({ jobId }) => ({
      pages: (fake.jobs.get(jobId) ?? []).map(toPage),
    })),
  ];
  const crawl = [
    handle(Crawl.getRun, async ({ id }) => {
      const { projectId, finishedAt, trigger = 'manual', pages } = found(id);
      const hasCoverage = trigger !== 'recrawl';
      const run = {
        id,
        projectId,
        seed: SEED,
        finishedAt,
        trigger,
        status: 'done' as const,
        done: pages.length,
        hasCoverage,
      };
      return GetRunResponse.fromPartial({
        run,
        config: { fields: { values: { price: { selector: 'b', type: 'number', many: false } } } },
      });
    }),
  ];
  const diff = [
    handle(Diff.getRecord, async ({ runId = '', after, limit }) => {
      const { record, entries = [], projectId, baselineRunId = '' } = found(runId);
      if (record === undefined) return GetRecordResponse.fromPartial({});
      const made = {
        runId,
        projectId,
        baselineRunId,
        status: record.status,
        coverage: { verdict: record.isVerdict },
        entries: entries.length,
      };
      const slice = entries
        .map((entry) => Entry.fromPartial({ kind: 'modified', runId, ...entry }))
        .slice(after, after + limit);
      const last = after + slice.length;
      return GetRecordResponse.fromPartial({
        record: MadeRecord.fromPartial(made),
        entries: slice,
        last,
        isMore: last < entries.length,
      });
    }),
  ];
  const map = [
    handle(MapRpc.discovery, async ({ projectId = '' }) => {
      const tree = fake.trees.get(projectId);
      if (tree === undefined) return DiscoveryResponse.fromPartial({});
      const snapshot = { id: `map_${projectId}`, takenAt: CRAWLED_AT, complete: tree.complete };
      return DiscoveryResponse.fromPartial({ snapshot, kept: [{ id: snapshot.id, takenAt: CRAWLED_AT }] });
    }),
    handle(MapRpc.listEntries, async ({ projectId = '', after, limit, snapshotId }) => {
      const urls = fake.trees.get(projectId)?.urls ?? [];
      const slice = urls.slice(after, after + limit);
      const next = after + slice.length;
      return ListEntriesResponse.fromPartial({
        entries: slice.map((url) => ({ url, lastmod: '2026-01', source: 'sitemap', file: `${SEED}sitemap.xml` })),

        total: urls.length,
        snapshotId: snapshotId ?? '',
        ...(next < urls.length ? { next } : {}),
      });
    }),
  ];
  const definition = defineService({
    name: 'fleet',
    config: {},
    async start(app) {
      app.serve(Archive, withUnimplemented(Archive, archive));
      app.serve(Crawl, withUnimplemented(Crawl, crawl));
      app.serve(Diff, withUnimplemented(Diff, diff));
      app.serve(MapRpc, withUnimplemented(MapRpc, map));
    },
  });
  return Object.assign(fake, await startService(definition, {}));
}
