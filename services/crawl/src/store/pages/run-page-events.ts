import { events } from '@tidemark/contracts';
import type { RunPage } from '@tidemark/contracts/page/v1/page';
import { type OutgoingEvent, outgoingEvent, writeEvents } from '@tidemark/service';
import type pg from 'pg';
import { type RunOfPages, readEnded } from './ended-pages.ts';

/** Pages per event: about 100 KB. */
const PAGES_PER_EVENT = 500;
/** Upper bound of the pages that end in one transaction. */
const MAX_PAGES_PER_TRANSACTION = 1_000;

/** The run an event is about. */
export interface RunOfEvent {
  readonly id: string;
  readonly workspaceId: string;
  /** Empty: the run has no project yet. */
  /** Undefined: the run has no project yet. */
  readonly projectId: string | undefined;
}

/** Why pages are published; part of the event's id, so that each publication has its own id. */
type Occasion = 'created' | 'ended' | 'adopted' | 'final';

/** Returns the event that pages of a run were recorded; without pages: that the run exists. */
export function pagesRecorded(run: RunOfEvent, occasion: Occasion, pages: readonly RunPage[]): OutgoingEvent {
  const { id: runId, workspaceId, projectId } = run;
  const id = `run-pages:${runId}:${occasion}:${pages[0]?.number ?? 0}`;
  return outgoingEvent(events.runPagesRecorded, id, { runId, workspaceId, projectId, pages: pages.map(withoutResult) });
}

/** The consumer reads a page's result from the page's row. */
const withoutResult = ({ url, verdict, errorCode, httpStatus, credits, ...page }: RunPage): RunPage => page;

/** A run while pages of it end, its row locked. */
export interface EndingRun extends RunOfPages {
  readonly workspace_id: string;
  readonly project_id: string | null;
  /** The number of the last page that had ended before. */
  readonly last_number: number;
}

/** Returns an event with the pages that ended in this transaction; none for a run without a project. */
export async function pagesEnded(client: pg.PoolClient, id: string, run: EndingRun): Promise<OutgoingEvent[]> {
  if (run.project_id === null) return [];
  const pages = await readEnded(client, run, { after: run.last_number, limit: MAX_PAGES_PER_TRANSACTION });
  const of = { id, workspaceId: run.workspace_id, projectId: run.project_id };
  return pages.length === 0 ? [] : [pagesRecorded(of, 'ended', pages)];
}

export interface PagesToWrite {
  readonly run: RunOfEvent & RunOfPages;
  readonly occasion: Occasion;
  /** The number before the first page. */
  readonly after: number;
}

/** Writes one event for the next pages of a run. @returns the event and the number of its last page; undefined where there are no more */
export async function writeNextPages(
  client: pg.Pool | pg.PoolClient,
  { run, occasion, after }: PagesToWrite,
): Promise<{ readonly event: OutgoingEvent; readonly last: number } | undefined> {
  const pages = await readEnded(client, run, { after, limit: PAGES_PER_EVENT });
  const last = pages.at(-1)?.number;
  if (last === undefined) return undefined;
  const event = pagesRecorded(run, occasion, pages);
  await writeEvents(client, [event]);
  return { event, last };
}

/** Writes events for all pages of a run from after a number. @returns the events */
export async function writeRemainingPages(client: pg.PoolClient, toWrite: PagesToWrite): Promise<OutgoingEvent[]> {
  const events: OutgoingEvent[] = [];
  for (let { after } = toWrite; ; ) {
    const written = await writeNextPages(client, { ...toWrite, after });
    if (written === undefined) return events;
    events.push(written.event);
    after = written.last;
  }
}
