import { type Entry, type GetRecordResponse, DiffServiceService as Rpc } from '@tidemark/contracts/diff/v1/diff';
import type { DatasetRow as Row } from '@tidemark/datasets';
import { AppError } from '@tidemark/errors';
import { timeOf } from './page-rows.ts';
import type { OpenDataset, SourceContext } from './peers.ts';

const BATCH = 500;
const BATCH_DEADLINE_MS = 60_000;

interface RecordToExport {
  readonly projectId: string;
  readonly runId: string;
  readonly after: number;
}

/** Opens the entries of the record of a run. @throws AppError conflict if the record is not made */
export async function openChanges(
  { projectId, runId, after }: RecordToExport,
  { peers, call, signal }: SourceContext,
): Promise<OpenDataset<Row>> {
  const read = (from: number): Promise<GetRecordResponse> => {
    const request = { projectId, runId, after: from, limit: BATCH, unreviewed: false };
    return peers.diff.call(Rpc.getRecord, request, call, { deadlineMs: BATCH_DEADLINE_MS, signal });
  };
  const first = await read(after);
  if (first.record === undefined || first.record.status === 'making')
    throw new AppError('conflict', 'the change record of the run is not made yet; try again when its status is made');
  if (first.record.status === 'failed')
    throw new AppError('conflict', `the change record of the run could not be made: ${first.record.error}`);
  const { baselineRunId } = first.record;
  async function* batches(): AsyncGenerator<readonly Row[]> {
    for (let response = first; ; ) {
      yield response.entries.map((entry) => toChangesRow(entry, baselineRunId));
      if (!response.isMore || response.entries.length === 0) return;
      response = await read(response.last);
    }
  }
  return { batches: batches(), rows: after === 0 ? first.record.entries : undefined, isComplete: true };
}

function toChangesRow(entry: Entry, baselineRunId: string): Row {
  return {
    runId: entry.runId,
    baselineRunId: entry.baselineRunId || baselineRunId || null,

    id: entry.id,
    place: entry.position,
    url: entry.url,
    kind: entry.kind,
    reason: entry.reason || null,

    section: entry.section || null,
    volatile: entry.volatile,

    wordsAdded: entry.wordsAdded,
    wordsRemoved: entry.wordsRemoved,
    movedFrom: entry.movedFrom || null,

    returned: entry.returned,
    numericOnly: entry.numericOnly,
    reordered: entry.reordered,

    degraded: entry.degraded,
    truncated: entry.truncated,

    verdictBefore: entry.verdictBefore || null,
    verdictNow: entry.verdictNow || null,
    links: entry.links || null,

    firstSeenAt: timeOf(entry.firstSeenAt),
    reviewed: entry.reviewed,
    reviewedBy: entry.reviewedBy || null,
    reviewedAt: entry.reviewedAt === undefined ? null : timeOf(entry.reviewedAt),

    fields: entry.fields,
    blocks: entry.blocks,
    template: entry.template ?? null,
    templateRefs: entry.templateRefs,
  };
}
