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
  /** Name of the running release. */
  readonly release: string;
  readonly log: Logger;
}

/** The release under which selectors were evaluated, and its first use. */
export interface ReleaseWatch {
  readonly release: string;
  readonly releasedAtMs: number;
}

/** The run whose record is guarded. */
export interface GuardedRun {
  readonly run: RunFinished;
  readonly seed: string;
  /** Absent: the configuration has no selectors. */
  readonly releaseWatch: ReleaseWatch | undefined;
}

/**
 * Withholds selector breaks that a release caused: if selectors of unrelated projects break soon after a release's
 * first use, the release is at fault. Logs an error for operators.
 */
export class ReleaseGuard {
  readonly #deps: ReleaseGuardDeps;

  constructor(deps: ReleaseGuardDeps) {
    this.#deps = deps;
  }

  /** Registers the release under which the selectors of a run were evaluated. */
  async watchRelease(selectors: readonly SelectorStats[]): Promise<ReleaseWatch | undefined> {
    const [first] = selectors;
    if (first === undefined) return undefined;
    const release = `${this.#deps.release} blocks ${first.rules}`.trim();
    return { release, releasedAtMs: await this.#deps.releases.registerRelease(release) };
  }

  /**
   * Removes the breaks of a record, in the transaction that finishes it, if the release is at fault. Also removes those
   * of finished records that the release affected.
   * @returns the record to store
   */
  async withholdBreaks(client: pg.PoolClient, record: FinishedRecord, guarded: GuardedRun): Promise<FinishedRecord> {
    const { head, metadata } = record;
    if (guarded.releaseWatch === undefined || head.baseline === null) return record;
    const { releases } = this.#deps;
    await releases.lock(client, guarded.releaseWatch.release);
    // Another record may have shown in the meantime that the release is at fault and corrected this record's baseline.
    const before = await releases.selectorsOf(client, head.baseline);
    const breaks = before === undefined ? metadata.breaks : findBreaks(before, metadata.selectors).breaks;
    if (breaks.length === 0) return record;
    const isAtFault = await this.#isReleaseAtFault(client, guarded.releaseWatch, guarded);
    if (!isAtFault && breaks.length <= metadata.breaks.length) return record;
    return withoutBreaks(record, (await releases.selectorsOf(client, head.baseline)) ?? []);
  }

  /** Registers a run whose selectors broke. If the release is at fault, removes the breaks of all affected records. */
  async #isReleaseAtFault(client: pg.PoolClient, watch: ReleaseWatch, { run, seed }: GuardedRun): Promise<boolean> {
    const { releases, log } = this.#deps;
    const { release, releasedAtMs } = watch;
    await releases.insertBrokenRun(client, run, URL.parse(seed)?.hostname ?? '', release);
    const affected = brokenByRelease(await releases.listBrokenRuns(client, release, run.runId), releasedAtMs);
    if (!affected.some(({ runId }) => runId === run.runId)) return false;
    log.error(
      { release, projects: affected.map(({ projectId }) => projectId) },
      'selectors of unrelated projects broke within an hour of a release: release at fault, breaks withheld',
    );
    await releases.withholdBreaks(
      client,
      affected.map(({ runId }) => runId),
    );
    return true;
  }
}

/** Keeps the baseline's selector statistics, so that a break caused by the site is reported with the next run. */
const withoutBreaks = ({ head, metadata }: FinishedRecord, before: readonly SelectorStats[]): FinishedRecord => ({
  head: {
    ...head,
    counts: { ...head.counts, selectorBreaks: 0 },
    coverage: withReason(head.coverage, 'selectors_withheld'),
  },
  metadata: { ...metadata, selectors: before, breaks: [] },
});
