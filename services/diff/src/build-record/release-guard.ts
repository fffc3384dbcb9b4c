import type { RunFinished } from '@tidemark/contracts/crawl/v1/events';
import type { Logger } from '@tidemark/service';
import type pg from 'pg';
import { withReason } from '../coverage/run-coverage.ts';
import { findBreaks, type SelectorStats } from '../selectors/find-breaks.ts';
import { brokenByRelease } from '../selectors/release-regression.ts';
import type { FinishedRecord } from '../store/record-store.ts';
import type { ReleaseStore } from '../store/release-store.ts';

export interface ReleaseGuardDeps {
  readonly releases: ReleaseStore;
  /** What runs, as its operators name it. */
  readonly release: string;
  readonly log: Logger;
}

/** The release under which selectors were tried, and since when it is in use. */
export interface ReleaseWatch {
  readonly release: string;
  readonly releasedAtMs: number;
}

/** Whose record is judged. */
export interface GuardedRun {
  readonly run: RunFinished;
  readonly seed: string;
  /** Absent: its configuration names no selectors. */
  readonly releaseWatch: ReleaseWatch | undefined;
}

/**
 * Keeps faults of ours from being told as broken selectors: where those of unrelated projects break soon after a release came into use, the
 * release is at fault, and operators are told.
 */
export class ReleaseGuard {
  readonly #deps: ReleaseGuardDeps;

  constructor(deps: ReleaseGuardDeps) {
    this.#deps = deps;
  }

  /** Notes under which release the selectors of a run were tried. */
  async watchRelease(selectors: readonly SelectorStats[]): Promise<ReleaseWatch | undefined> {
    const [first] = selectors;
    if (first === undefined) return undefined;
    const release = `${this.#deps.release} blocks ${first.rules}`.trim();
    return { release, releasedAtMs: await this.#deps.releases.registerRelease(release) };
  }

  /**
   * Decides about the breaks of a record in the transaction that ends it. Where the release is at fault, finished records that blamed sites
   * are taken back with it.
   * @returns the record as it is to be kept
   */
  async withholdBreaks(client: pg.PoolClient, record: FinishedRecord, guarded: GuardedRun): Promise<FinishedRecord> {
    const { head, metadata } = record;
    if (guarded.releaseWatch === undefined || head.baseline === null) return record;
    const { releases } = this.#deps;
    await releases.lock(client, guarded.releaseWatch.release);
    // Another record may have shown meanwhile that the release is at fault, and what this one was compared with was taken back.
    const before = await releases.selectorsOf(client, head.baseline);
    const breaks = before === undefined ? metadata.breaks : findBreaks(before, metadata.selectors).breaks;
    if (breaks.length === 0) return record;
    const isAtFault = await this.#isReleaseAtFault(client, guarded.releaseWatch, guarded);
    if (!isAtFault && breaks.length <= metadata.breaks.length) return record;
    return withoutBreaks(record, (await releases.selectorsOf(client, head.baseline)) ?? []);
  }

  /** Notes a run whose selectors broke, and takes back those of all projects that the release is to blame for. */
  async #isReleaseAtFault(client: pg.PoolClient, watch: ReleaseWatch, { run, seed }: GuardedRun): Promise<boolean> {
    const { releases, log } = this.#deps;
    const { release, releasedAtMs } = watch;
    await releases.insertBrokenRun(client, run, URL.parse(seed)?.hostname ?? '', release);
    const affected = brokenByRelease(await releases.listBrokenRuns(client, release, run.runId), releasedAtMs);
    if (!affected.some(({ runId }) => runId === run.runId)) return false;
    log.error(
      { release, projects: affected.map(({ projectId }) => projectId) },
      'selectors of unrelated projects broke within an hour of a release: it is at fault, and the breaks are not told',
    );
    await releases.withholdBreaks(
      client,
      affected.map(({ runId }) => runId),
    );
    return true;
  }
}

/** A break that is the site's own is told with the next run, by what the selectors did before. */
const withoutBreaks = ({ head, metadata }: FinishedRecord, before: readonly SelectorStats[]): FinishedRecord => ({
  head: {
    ...head,
    counts: { ...head.counts, selectorBreaks: 0 },
    coverage: withReason(head.coverage, 'selectors_withheld'),
  },
  metadata: { ...metadata, selectors: before, breaks: [] },
});
