import type { Caller } from '@tidemark/contracts';
import type { PageBodies } from '@tidemark/contracts/page/v1/page';
import { AppError } from '@tidemark/errors';
import type { CallContext, Peer } from '@tidemark/service';
import type { ComparedReadings } from '../domain/compared-readings.ts';
import type { MarkupDelta } from '../markup/markup-delta.ts';
import { type SelectorRepair, suggestSelectors } from '../selectors/suggest-selectors.ts';
import type { RecordReader } from '../store/record-views.ts';
import { loadCompared } from './load-compared.ts';
import type { MarkupPool } from './markup-pool.ts';

/** Time limit for all selector suggestions of one response. */
const SUGGESTIONS_TIMEOUT_MS = 10_000;

export interface CompareMarkupDeps {
  readonly archive: Peer;
  readonly records: Pick<RecordReader, 'find'>;
  readonly markupPool: Pick<MarkupPool, 'compare' | 'suggest'>;
}

/** The differences of two readings in markup. */
export interface MarkupComparison {
  readonly delta: MarkupDelta;
  /** The selectors that broke in the later run. */
  readonly selectors: readonly SelectorRepair[];
}

/**
 * Compares the markup of two stored readings, and suggests replacements for selectors that broke in the later run. Fetches
 * nothing from the web and writes nothing.
 * @throws AppError not_found if a reading has no stored HTML
 */
export type CompareStoredMarkup = (
  call: CallContext & { readonly caller: Caller },
  readings: ComparedReadings,
) => Promise<MarkupComparison>;

export function makeCompareStoredMarkup({ archive, records, markupPool }: CompareMarkupDeps): CompareStoredMarkup {
  return async (call, readings) => {
    const [before, after] = await loadCompared(archive, readings, ['rawHtml'], call);
    const [earlier, later] = [htmlOf(before), htmlOf(after)];
    const delta = await markupPool.compare(earlier, later);
    const record = readings.after && (await records.find(call.caller, readings.projectId, readings.after.runId));
    const suggest = (selector: string) => markupPool.suggest([earlier], [later], selector);
    return { delta, selectors: await suggestSelectors(record?.breaks ?? [], suggest, SUGGESTIONS_TIMEOUT_MS) };
  };
}

function htmlOf({ rawHtml }: PageBodies): string {
  if (rawHtml === undefined)
    throw new AppError('not_found', 'a reading of the page has no stored HTML; config.store_html "always" stores it');
  return rawHtml;
}
