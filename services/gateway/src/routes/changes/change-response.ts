import { CHANGE_KINDS, type Change, type ChangeRecord, type PageChanges, RECORD_STATUSES } from '@tidemark/api';
import type {
  BlockEntry,
  Entry,
  FieldChange,
  Coverage as WireCoverage,
  Record as WireRecord,
} from '@tidemark/contracts/diff/v1/diff';
import { timeOf } from '../../responses/job-envelope.ts';
import { oneOf } from '../../responses/one-of.ts';
import { toCounts } from '../../responses/record-counts.ts';
import { estimateFieldsOf } from '../../responses/site-estimate.ts';
import { explainReason } from './reason-texts.ts';

export const OPS = ['added', 'removed', 'edited', 'relinked', 'moved', 'replaced'] as const;
const WORD_OPS = ['=', '+', '-'] as const;

const toBlockParts = (block: BlockEntry) => ({
  section: block.section,
  landmark: block.landmark,
  before: block.before ?? null,
  after: block.after ?? null,
  words: block.words.map(({ op, text }) => ({ op: oneOf(WORD_OPS, op), text })),
  links: block.links.map(({ text, from, to }) => ({ text, from: from ?? null, to: to ?? null })),
  volatile: block.volatile,
  numericOnly: block.numericOnly,
});

/** Converts a changed block. */
export const toBlock = (block: BlockEntry): Change['blocks'][number] => ({
  op: oneOf(OPS, block.op),
  ...toBlockParts(block),
});

const COMPARED_OPS = [...OPS, 'same'] as const;

/** Converts a block of a comparison, which may be unchanged. */
export const toComparedBlock = (block: BlockEntry): PageChanges['blocks'][number] => ({
  op: oneOf(COMPARED_OPS, block.op),
  ...toBlockParts(block),
});

export const toField = ({ name, from, to, volatile }: FieldChange): Change['fields'][number] => ({
  name,
  from: from ?? null,
  to: to ?? null,
  volatile: volatile ?? false,
});

export const toChange = (entry: Entry): Change => ({
  id: entry.id,
  runId: entry.runId,
  url: entry.url,
  title: entry.title ?? null,
  kind: oneOf(CHANGE_KINDS, entry.kind),
  reason: entry.reason ?? null,
  explanation: entry.reason === undefined ? null : explainReason(entry.reason),
  section: entry.section,
  volatile: entry.volatile,
  wordsAdded: entry.wordsAdded,
  wordsRemoved: entry.wordsRemoved,
  blocks: entry.blocks.map(toBlock),
  fields: entry.fields.map(toField),
  movedFrom: entry.movedFrom ?? null,
  returned: entry.returned,
  numericOnly: entry.numericOnly,
  reordered: entry.reordered,
  degraded: entry.degraded,
  truncated: entry.truncated,
  templateRefs: entry.templateRefs,
  template: entry.template ?? null,
  baselineRunId: entry.baselineRunId ?? null,
  verdicts: { before: entry.verdictBefore, now: entry.verdictNow },
  links: entry.links ?? null,
  firstSeenAt: timeOf(entry.firstSeenAt),
  reviewed: entry.reviewed,
  reviewedBy: entry.reviewedBy || null,
  reviewedAt: entry.reviewedAt === undefined ? null : timeOf(entry.reviewedAt),
  alerts: entry.alerts,
});

/** Converts the coverage of a record. */
const toCoverage = ({ estimate, ...coverage }: WireCoverage): ChangeRecord['coverage'] => ({
  ...coverage,
  ...estimateFieldsOf(estimate),
});

/** A change record without its entries. */
type RecordFields = Omit<ChangeRecord, 'entries' | 'next' | 'cursor' | 'request_id'>;

/** Returns the record of a run that has ended and whose record diff has not begun: it receives the end of a run by an event. */
export const recordInProgress = (runId: string): RecordFields => ({ ...toRecord(undefined), runId, status: 'making' });

/** Converts a change record without its entries; null fields if there is no record. */
export const toRecord = (record: WireRecord | undefined): RecordFields => ({
  runId: record?.runId ?? null,
  status: record === undefined ? null : oneOf(RECORD_STATUSES, record.status),
  error: record?.error ?? null,
  baseline: record?.baselineRunId ?? null,
  madeAt: record?.madeAt === undefined ? null : timeOf(record.madeAt),
  counts: record === undefined ? null : toCounts(record.status, record.counts),
  coverage: record?.coverage === undefined ? null : toCoverage(record.coverage),
  moved: record?.moved ?? 0,
  selectorBreaks: record?.breaks ?? [],
  digest: record?.digest ?? null,
  creditsUsed: 0,
});
