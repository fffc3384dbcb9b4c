import type { ListState } from './list-state.ts';

/** The pages of a run, by what can be searched. */
export interface BodyCounts {
  readonly pages: number;
  /** Pages none of whose bodies is markdown, and is html. */
  readonly withoutMarkdown: number;
  readonly withoutHtml: number;
}

/** What the pages of a run amount to. */
export interface RunSummary extends BodyCounts {
  readonly engines: readonly EngineSummary[];
}

export interface EngineSummary {
  /** http, browser; empty: no engine was used. */
  readonly method: string;
  readonly pages: number;
  readonly credits: number;
  readonly medianMs: number;
}

/** A run of a project, and how far what it read is listed here. */
export interface ListedRun {
  readonly no: string;
  readonly id: string;
  readonly workspaceId: string;
  readonly projectId: string;
  /** running, done, error, cancelled. */
  readonly status: string;
  /** When the end of the run arrived here. */
  readonly endedAt: Date | undefined;
  /** Pages of the run; known once it has ended. */
  readonly total: number | undefined;
  /** Every page up to this number is listed, or was given up. */
  readonly listed: number;
  /** Pages up to this number were listed without what is known once the run has ended; up to `checked` it has been added since. */
  readonly provisional: number;
  readonly checked: number;
  /** Pages up to this number have their words sketched. */
  readonly sketched: number;
  readonly state: ListState;
  readonly summary: RunSummary | undefined;
  /** Since when the row of the next page is missing. */
  readonly stuckSince: Date | undefined;
  readonly attempts: number;
  /** Attempts in a row that were interrupted without progress. */
  readonly interruptions: number;
}

/** Minutes a page's missing row is waited for: scrape publishes its event again until it is stored. */
const MISSING_MINUTES = 60;

/** Whether rows that are missing are given up by now: what could not be stored is in the dead-letter stream. */
export const isGivenUp = (run: Pick<ListedRun, 'stuckSince'>, now: Date): boolean =>
  run.stuckSince !== undefined && now.getTime() - run.stuckSince.getTime() > MISSING_MINUTES * 60_000;
