import type { Core } from './core.ts';
import { pause } from './pause.ts';
import type { CallOptions, Query, Result } from './routes.ts';

export type ChangeQuery = Query<'GET /projects/{id}/changes'>;

export interface RecordOptions extends CallOptions {
  /** Time after which the record is returned as it is, with the status `making`, ms; 120 s by default. */
  readonly waitMs?: number | undefined;
}

const WAIT_MS = 120_000;
/** Time after which a run that has no record yet is taken for one without a record, ms. */
const ABSENT_MS = 15_000;
const POLL_MS = 500;
/** Runs among which the newest full one is searched. */
const RECENT_RUNS = 25;

/** Returns the newest full run that is done, also where its record is not made yet; undefined where there is none. */
async function newestRun(core: Core, id: string, options: CallOptions): Promise<string | undefined> {
  const query = { v: 'done', limit: RECENT_RUNS } as const;
  const { data } = await core.call('GET /projects/{id}/runs', { path: { id }, query, ...options });
  return data.find(({ trigger }) => trigger !== 'recrawl')?.id;
}

/**
 * Returns the change record of a run, by default of the newest full run that is done, once it is made. The record of a run is made within seconds
 * after its end; a request without `run_id` returns that of the run before until then.
 */
export async function waitForRecord(
  core: Core,
  id: string,
  { run_id: given, ...query }: ChangeQuery,
  { waitMs = WAIT_MS, ...options }: RecordOptions,
): Promise<Result<'GET /projects/{id}/changes'>> {
  const run_id = given ?? (await newestRun(core, id, options));
  const startedAt = performance.now();
  for (;;) {
    const init = { path: { id }, query: { ...query, run_id }, ...options };
    const record = await core.call('GET /projects/{id}/changes', init);
    const isExpected = record.status === 'making' || (record.status === null && run_id !== undefined);
    const most = record.status === 'making' ? waitMs : Math.min(waitMs, ABSENT_MS);
    if (!isExpected || performance.now() - startedAt + POLL_MS > most) return record;
    await pause(POLL_MS, options.signal);
  }
}
