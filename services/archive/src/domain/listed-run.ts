import type { ListState } from './list-state.ts';

/** Number of pages of a run, by the bodies that can be searched. */
export interface BodyCounts {
  readonly pages: number;
  /** Pages without markdown, and pages without html. */
  readonly withoutMarkdown: number;
  readonly withoutHtml: number;
}

/** Totals over the pages of a run. */
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

/** A run of a project and the progress of its list. */
export interface ListedRun {
  readonly no: string;
  readonly id: string;
  readonly workspaceId: string;
  readonly projectId: string;
  /** running, done, error, cancelled. */
  readonly status: string;
  /** When the event of the run's end was stored. */
  readonly endedAt: Date | undefined;
  /** Pages of the run; known once it has ended. */
  readonly total: number | undefined;
  /** Every page up to this number is listed, or was given up. */
  readonly listed: number;
  /** Pages up to this number were listed before the run ended, without their final details. */
  readonly provisional: number;
  /** Pages up to this number have their final details. */
  readonly checked: number;
  /** The words of the pages up to this number are sketched. */
  readonly sketched: number;
  readonly state: ListState;
  readonly summary: RunSummary | undefined;
  /** Time since which the row of the next page is missing. */
  readonly stuckSince: Date | undefined;
  readonly attempts: number;
  /** Attempts in a row that were interrupted without progress. */
  readonly interruptions: number;
}

/** Longest wait for the row of a page, minutes: scrape publishes its event again until it is stored. */
const MISSING_MINUTES = 60;

/** Returns whether missing rows are given up: an event that could not be stored is in the dead-letter stream. */
export const isGivenUp = (run: Pick<ListedRun, 'stuckSince'>, now: Date): boolean =>
  run.stuckSince !== undefined && now.getTime() - run.stuckSince.getTime() > MISSING_MINUTES * 60_000;
