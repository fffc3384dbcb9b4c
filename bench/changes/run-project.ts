import type { Change, ChangeRecord, RunEnvelope } from '@tidemark/api';
import type { Api } from '../../test/harness/api.ts';
import { makeProject, readRun, startRun } from '../../test/harness/projects.ts';
import { until } from '../../test/harness/until.ts';

const RUN_WITHIN_MS = 900_000;
const RECORD_WITHIN_MS = 300_000;
const ENTRIES_AT_ONCE = 1_000;

/** A finished run and its record with every entry. */
export interface RecordedRun {
  readonly run: RunEnvelope;
  readonly record: ChangeRecord;
  readonly entries: readonly Change[];
  /** Seconds from the end of the run until its record can be read over REST. */
  readonly recordSeconds: number;
}

/** Creates a project. The returned function runs it, waits for the record and returns both. */
export async function watchSite(api: Api, order: Readonly<Record<string, unknown>>) {
  const { id } = await makeProject(api, order);
  return async (): Promise<RecordedRun> => {
    const started = await startRun(api, id);
    const run = await until(
      'the run to end',
      async () => {
        const now = await readRun(api, started);
        return now.status === 'queued' || now.status === 'running' ? undefined : now;
      },
      { withinMs: RUN_WITHIN_MS },
    );
    const endedAtMs = performance.now();
    const record = await until(
      'its record',
      async () => {
        const now = await readRecord(api, id, run.id, '0');
        return now.status === 'made' || now.status === 'failed' ? now : undefined;
      },
      { withinMs: RECORD_WITHIN_MS },
    );
    if (record.status === 'failed') throw new Error(`the record failed: ${record.error}`);
    const recordSeconds = (performance.now() - endedAtMs) / 1_000;
    return { run, record, entries: await restOf(api, id, record), recordSeconds };
  };
}

async function restOf(api: Api, id: string, first: ChangeRecord): Promise<Change[]> {
  const entries = [...first.entries];
  for (let { next, cursor } = first; next !== null && cursor !== null; ) {
    const more = await readRecord(api, id, first.runId ?? '', cursor);
    entries.push(...more.entries);
    ({ next, cursor } = more);
  }
  return entries;
}

async function readRecord(api: Api, id: string, runId: string, cursor: string): Promise<ChangeRecord> {
  const query = `run_id=${runId}&limit=${ENTRIES_AT_ONCE}${cursor === '0' ? '' : `&cursor=${cursor}`}`;
  const { status, text } = await api.get(`/projects/${id}/changes?${query}`);
  if (status !== 200) throw new Error(`the record can't be read: ${status} ${text}`);
  return JSON.parse(text);
}

/** Prints a record in one line. */
export function showRecord(name: string, { run, record, entries, recordSeconds }: RecordedRun): void {
  const counts = Object.entries(record.counts ?? {})
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => `${kind} ${count}`);
  const { verdict, reasons = [] } = record.coverage ?? {};
  console.log(
    `  ${name}: ${run.status} (${run.stop ?? ''}), ${counts.join(', ')}; ${entries.length} entries, ${record.moved} moved; ` +
      `verdict ${verdict === true ? 'yes' : `no: ${reasons.join(', ')}`}; record ${recordSeconds.toFixed(1)} s after the run`,
  );
}
