import type { Caller } from '@tidemark/contracts';
import type { RecordReader, RecordView } from '../store/record-views.ts';

/** Finds the record that a request names; an empty `runId` names the newest that replaced the known state. */
export const findRecord = (
  records: RecordReader,
  caller: Caller,
  projectId: string,
  runId: string,
): Promise<RecordView | undefined> =>
  runId === '' ? records.newest(caller, projectId) : records.find(caller, projectId, runId);
