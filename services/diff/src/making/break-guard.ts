import type { RunFinished } from '@tidemark/contracts/crawl/v1/events';
import type { Logger } from '@tidemark/service';
import type pg from 'pg';
import { withReason } from '../record/run-coverage.ts';
import { findBreaks, type SelectorStats } from '../selectors/find-breaks.ts';
import { brokenByRelease } from '../selectors/own-regression.ts';
import type { FinishedRecord } from '../store/record-store.ts';
import type { ReleaseStore } from '../store/release-store.ts';

export interface BreakGuardDeps {
  readonly releases: ReleaseStore;
  /** What runs, as its operators name it. */
  readonly release: string;
  readonly log: Logger;
}

/** The release under which selectors were tried, and since when it is in use. */
export interface Watch {
  readonly release: string;
  readonly releasedAtMs: number;
}

/** Whose record is judged. */
export interface Watched {
  readonly run: RunFinished;
  readonly seed: string;
  /** Absent: its configuration names no selectors. */
  readonly watch: Watch | undefined;
}

/**
 * Keeps faults of ours from being told as broken selectors: where those of unrelated projects break soon after a release came into use, the
 * release is at fault, and operators are told.
 */
export class BreakGuard {
  readonly #deps: BreakGuardDeps;

  constructor(deps: BreakGuardDeps) {
    this.#deps = deps;
  }

  /** Notes under which release the selectors of a run were tried. */
  async watch(selectors: readonly SelectorStats[]): Promise<Watch | undefined> {
    const [first] = selectors;
    if (first === undefined) return undefined;
    const release = `${this.#deps.release} blocks ${first.rules}`.trim();
    return { release, releasedAtMs: await this.#deps.releases.firstSeenMs(release) };
  }

  /**
   * Decides about the breaks of a record in the transaction that ends it. Where the release is at fault, finished records that blamed sites
   * are taken back with it.
   * @returns the record as it is to be kept
   */
  async judge(client: pg.PoolClient, finished: FinishedRecord, watched: Watched): Promise<FinishedRecord> {
    const { head, facts } = finished;
    if (watched.watch === undefined || head.baseline === null) return finished;
    const { releases } = this.#deps;
    await releases.lock(client, watched.watch.release);
    // Another record may have shown meanwhile that the release is at fault, and what this one was compared with was taken back.
    const before = await releases.selectorsOf(client, head.baseline);
    const breaks = before === undefined ? facts.breaks : findBreaks(before, facts.selectors).breaks;
    if (breaks.length === 0) return finished;
    const isAtFault = await this.#isReleaseAtFault(client, watched.watch, watched);
    if (!isAtFault && breaks.length <= facts.breaks.length) return finished;
    return withoutBreaks(finished, (await releases.selectorsOf(client, head.baseline)) ?? []);
  }

  /** Notes a run whose selectors broke, and takes back those of all projects that the release is to blame for. */
  async #isReleaseAtFault(client: pg.PoolClient, watch: Watch, { run, seed }: Watched): Promise<boolean> {
    const { releases, log } = this.#deps;
    const { release, releasedAtMs } = watch;
    await releases.noteBroken(client, run, URL.parse(seed)?.hostname ?? '', release);
    const suspects = brokenByRelease(await releases.broken(client, release, run.runId), releasedAtMs);
    if (!suspects.some(({ runId }) => runId === run.runId)) return false;
    log.error(
      { release, projects: suspects.map(({ projectId }) => projectId) },
      'selectors of unrelated projects broke within an hour of a release: it is at fault, and the breaks are not told',
    );
    await releases.withhold(
      client,
      suspects.map(({ runId }) => runId),
    );
    return true;
  }
}

/** A break that is the site's own is told with the next run, by what the selectors did before. */
const withoutBreaks = ({ head, facts }: FinishedRecord, before: readonly SelectorStats[]): FinishedRecord => ({
  head: {
    ...head,
    counts: { ...head.counts, selectorBreaks: 0 },
    coverage: withReason(head.coverage, 'selectors_withheld'),
  },
  facts: { ...facts, selectors: before, breaks: [] },
});
