import type { Change, ChangeRecord } from '@tidemark/sdk';

/** The changes of one page since the last review. */
export interface OpenChange {
  readonly newest: Change;
  /** Entries of earlier runs, newest first. */
  readonly earlier: readonly Change[];
  /** The run that the page is compared with: the baseline of the oldest entry; undefined: the page is new since then. */
  readonly from: string | undefined;
}

/** Returns the records since the last review, newest first: up to the first whose changes are all reviewed. Each has its open entries only. */
export function sinceLastReview(records: readonly ChangeRecord[]): readonly ChangeRecord[] {
  const end = records.findIndex(({ entries }) => entries.length === 0);
  return end === -1 ? records : records.slice(0, end);
}

/** Merges the open entries of records, newest first, so that a page that changed in several runs is reviewed once. */
export function mergeOpen(records: readonly ChangeRecord[]): readonly OpenChange[] {
  const pages = new Map<string, { readonly entry: Change; readonly baseline: string | null }[]>();
  for (const { entries, baseline } of records)
    for (const entry of entries) {
      const list = pages.get(entry.url) ?? [];
      list.push({ entry, baseline: entry.baselineRunId ?? baseline });
      pages.set(entry.url, list);
    }
  return [...pages.values()].flatMap((list): OpenChange[] => {
    const [first, ...rest] = list;
    const oldest = list.at(-1);
    if (first === undefined || oldest === undefined) return [];
    const isNew = oldest.entry.kind === 'added';
    const kind = isNew && first.entry.kind === 'modified' ? 'added' : first.entry.kind;
    return [
      {
        newest: { ...first.entry, kind },
        earlier: rest.map(({ entry }) => entry),
        from: isNew ? undefined : (oldest.baseline ?? undefined),
      },
    ];
  });
}

/** Returns the ids of all entries of a page by their runs. */
export function idsByRun({ newest, earlier }: OpenChange): ReadonlyMap<string, readonly string[]> {
  const ids = new Map<string, string[]>();
  for (const { id, runId } of [newest, ...earlier]) ids.set(runId, [...(ids.get(runId) ?? []), id]);
  return ids;
}
