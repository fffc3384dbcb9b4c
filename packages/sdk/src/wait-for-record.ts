import type { Core } from './core.ts';
import { pause } from './pause.ts';
import type { CallOptions, Query, Result } from './routes.ts';

export type ChangeQuery = Query<'GET /projects/{id}/changes'>;

export interface RecordOptions extends CallOptions {
  /** Time after which the record is returned as it is, with the status `making`, ms; 120 s by default. */
  readonly waitMs?: number | undefined;
}

const WAIT_MS = 120_000;
const POLL_MS = 500;

/** Returns the change record of a run, by default of the newest full run that is done, once it is made: within seconds after the end of the run. */
export async function waitForRecord(
  core: Core,
  id: string,
  query: ChangeQuery,
  { waitMs = WAIT_MS, ...options }: RecordOptions,
): Promise<Result<'GET /projects/{id}/changes'>> {
  const startedAt = performance.now();
  let { run_id } = query;
  for (;;) {
    const init = { path: { id }, query: { ...query, run_id }, ...options };
    const record = await core.call('GET /projects/{id}/changes', init);
    const isLate = performance.now() - startedAt + POLL_MS > waitMs;
    if (record.status !== 'making' || isLate) return record;
    // The record of the same run, also where a newer one ends meanwhile.
    run_id = record.runId ?? run_id;
    await pause(POLL_MS, options.signal);
  }
}
