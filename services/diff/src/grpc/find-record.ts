import type { Caller } from '@tidemark/contracts';
import type { RecordReader, RecordView } from '../store/record-views.ts';

/** Finds the record of a run; without a run, the newest that replaced the known state. */
export const findRecord = (
  records: RecordReader,
  caller: Caller,
  projectId: string,
  runId: string | undefined,
): Promise<RecordView | undefined> =>
  runId === undefined ? records.newest(caller, projectId) : records.find(caller, projectId, runId);
