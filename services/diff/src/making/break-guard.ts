import type { RunFinished } from '@tidemark/contracts/crawl/v1/events';
import type { Logger } from '@tidemark/service';
import type { SelectorBreak, SelectorStats } from '../selectors/find-breaks.ts';
import { brokenByRelease } from '../selectors/own-regression.ts';
import type { ReleaseStore } from '../store/release-store.ts';

export interface BreakGuardDeps {
  readonly releases: ReleaseStore;
  /** What runs, as its operators name it. */
  readonly release: string;
  readonly log: Logger;
}

/** How the selectors of a run did. */
export interface SelectorsOfRun {
  readonly run: RunFinished;
  readonly seed: string;
  readonly selectors: readonly SelectorStats[];
  readonly breaks: readonly SelectorBreak[];
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

  /**
   * Notes under which release pages of a run were read, and what broke.
   * @returns the runs whose breaks are not to be told, this one among them; none: they are the sites' own
   */
  async judge({ run, seed, selectors, breaks }: SelectorsOfRun): Promise<readonly string[]> {
    if (selectors.length === 0) return [];
    const { releases, log } = this.#deps;
    const release = this.#nameOf(selectors);
    const releasedAtMs = await releases.firstSeenMs(release);
    if (breaks.length === 0) return [];
    await releases.noteBroken(run, URL.parse(seed)?.hostname ?? '', release);
    const suspects = brokenByRelease(await releases.broken(release, run.runId), releasedAtMs);
    const runIds = suspects.map(({ runId }) => runId);
    if (!runIds.includes(run.runId)) return [];
    const projects = suspects.map(({ projectId }) => projectId);
    log.error(
      { release, projects },
      'selectors of unrelated projects broke within an hour of a release: it is at fault, and the breaks are not told',
    );
    return runIds;
  }

  #nameOf(selectors: readonly SelectorStats[]): string {
    return `${this.#deps.release} blocks ${selectors[0]?.rules ?? 0}`.trim();
  }
}
