import type {
  RecordStatus,
  BlockEntry as WireBlock,
  Entry as WireEntry,
  IgnoredBlock as WireIgnored,
  Record as WireRecord,
} from '@tidemark/contracts/diff/v1/diff';
import type { FieldChange } from '../domain/page-delta.ts';
import type { RecordState } from '../domain/record-state.ts';
import { changeEventsOf } from '../records/entries/change-events.ts';
import type { BlockEntry } from '../records/entries/entry.ts';
import type { EntryView } from '../store/entry-store.ts';
import type { IgnoredBlockView } from '../store/ignored-block-store.ts';
import type { RecordView } from '../store/record-views.ts';

/** A record that waits or is being built is `making` for callers. */
export const toWireStatus = (state: RecordState): RecordStatus => (state === 'pending' ? 'making' : state);

export function toWireRecord(record: RecordView): WireRecord {
  const { coverage, breaks, counts, status, ...rest } = record;
  return {
    ...rest,
    status: toWireStatus(status),
    counts: { ...counts },
    coverage: coverage === undefined ? undefined : { ...coverage, reasons: [...coverage.reasons] },
    breaks: breaks.map(({ setting, selector, shareBefore, shareAfter, template }) => ({
      setting,
      selector,
      shareBefore,
      shareNow: shareAfter,
      template,
    })),
  };
}

export const toWireBlock = ({ words, before, after, links, ...block }: BlockEntry): WireBlock => ({
  ...block,
  links: links.map(({ text, from, to }) => ({ text, from, to })),
  before: before ?? undefined,
  after: after ?? undefined,
  words: words.map(([op, text]) => ({ op, text })),
});

export const toWireField = ({ name, from, to, isVolatile }: FieldChange) => ({
  name,
  from,
  to,
  volatile: isVolatile,
});

export function toWireEntry({ entry, runId, position, reviewedBy, reviewedAt, alerts }: EntryView): WireEntry {
  const { template, verdicts, pageKey: _, deltaKey: __, turnedUnreadable: ___, pageStates: ____, ...rest } = entry;
  return {
    ...rest,
    runId,
    position,
    title: entry.title,
    reason: entry.reason,
    blocks: entry.blocks.map(toWireBlock),
    fields: entry.fields.map(toWireField),
    movedFrom: entry.movedFrom,
    returned: entry.returned ?? false,
    templateRefs: [...entry.templateRefs],
    template: template === undefined ? undefined : { ...template, urls: [...template.urls] },
    baselineRunId: entry.baselineRunId,
    verdictBefore: verdicts[0],
    verdictNow: verdicts[1],
    links: entry.links,
    firstSeenAt: new Date(entry.firstSeenAt),
    reviewed: reviewedAt !== undefined,
    reviewedBy,
    reviewedAt,
    alerts: alerts.map(({ id, name }) => ({ id, name })),
  };
}

export const toWireIgnored = ({ block, runId, position }: IgnoredBlockView): WireIgnored => ({
  id: block.id,
  runId,
  position,
  url: block.url,
  op: block.op,
  section: block.section,
  landmark: block.landmark,
  field: block.field === '' ? undefined : block.field,
  before: block.before ?? undefined,
  after: block.after ?? undefined,
  truncated: block.truncated,
  reason: block.reason,
  place: block.place,
  since: block.since === '' ? undefined : new Date(block.since),
  comparisons: block.comparisons,
  changed: block.changed,
});

/** Converts an entry to its notification events. */
export const toWireChangeEvents = ({ entry }: EntryView) =>
  changeEventsOf(entry).map(({ event, url, ...data }) => ({
    event,
    url,
    entryId: entry.id,
    dataJson: JSON.stringify(data),
  }));
