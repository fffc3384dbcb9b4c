import type { Caller } from '@tidemark/contracts';
import type { PageBlocks } from '@tidemark/contracts/page/v1/blocks';
import type { PageBodies } from '@tidemark/contracts/page/v1/page';
import { AppError } from '@tidemark/errors';
import type { CallContext, Peer } from '@tidemark/service';
import { compareExtractedFields, compareModelValues } from '../comparison/compare-extracted-fields.ts';
import type { ComparePool } from '../comparison/compare-pool.ts';
import { NO_BLOCKS } from '../comparison/no-blocks.ts';
import { renderDelta } from '../comparison/render-delta.ts';
import { StoredBlocks } from '../comparison/stored-blocks.ts';
import { type PagePart, wholePage } from '../comparison/whole-page.ts';
import type { CaptureRef, ComparedReadings } from '../domain/compared-readings.ts';
import type { FieldChange, PageDelta } from '../domain/page-delta.ts';
import { folderOf, pageKey } from '../domain/page-key.ts';
import type { KnownPageStore } from '../store/known-page-store.ts';
import type { RecordReader } from '../store/record-views.ts';
import { overridesIn } from '../volatility/ignored-reason.ts';
import { sketchAnchors } from '../volatility/templates.ts';
import { VolatilityModel } from '../volatility/volatility-model.ts';
import { extractedOf } from './load-captures.ts';
import { loadCompared } from './load-compared.ts';

export interface CompareTextDeps {
  readonly archive: Peer;
  readonly records: Pick<RecordReader, 'configOf'>;
  readonly knownPages: Pick<KnownPageStore, 'loadVolatility'>;
  readonly comparePool: Pick<ComparePool, 'compareNow'>;
}

/** The differences of two readings in text. */
export interface TextComparison {
  readonly delta: PageDelta;
  /** Changes of extracted fields and of values of a language model. */
  readonly extracted: readonly FieldChange[];
  /** The changes, with all unchanged blocks between them if they are requested. */
  readonly parts: readonly PagePart[];
  /** Inert HTML of the changed blocks. */
  readonly html: string;
}

/**
 * Compares text and extracted fields of two stored readings. Without an earlier or a later reading every block is added or
 * removed. Fetches nothing from the web and writes nothing.
 * @throws AppError not_found if a reading has no stored blocks
 */
export type CompareStoredText = (
  call: CallContext & { readonly caller: Caller },
  readings: ComparedReadings,
  options?: { readonly withUnchanged: boolean },
) => Promise<TextComparison>;

export function makeCompareStoredText({
  archive,
  records,
  knownPages,
  comparePool,
}: CompareTextDeps): CompareStoredText {
  /** Marks the changes at places that the project has learned to be volatile, as records do. */
  async function markVolatile(
    caller: Caller,
    delta: PageDelta,
    { projectId, url, after }: ComparedReadings,
    laterBlocks: Uint8Array | undefined,
  ): Promise<PageDelta> {
    if (after === undefined || laterBlocks === undefined || delta.blocks.length + delta.fields.length === 0)
      return delta;
    const config = await records.configOf(caller, projectId, after.runId);
    const volatility = new VolatilityModel(await knownPages.loadVolatility(projectId), overridesIn(config));
    const key = pageKey(url);
    const template = volatility.templates.assign(folderOf(key), sketchAnchors(new StoredBlocks(laterBlocks)));
    const page = { pageKey: key, template };
    const reported = volatility.withoutOverruled(template, delta);
    return {
      ...reported,
      blocks: reported.blocks.map((change) =>
        volatility.ignored(page, change) === undefined ? change : { ...change, isVolatile: true },
      ),
      fields: reported.fields.map((field) =>
        volatility.ignoredField(page, field) === undefined ? field : { ...field, isVolatile: true },
      ),
    };
  }

  return async (call, readings, { withUnchanged } = { withUnchanged: false }) => {
    const [before, after] = await loadCompared(archive, readings, ['blocks', 'fields', 'extraction'], call);
    const later = blocksOf(readings.after, after);
    const delta = await comparePool.compareNow(blocksOf(readings.before, before), later);
    const extracted = [
      ...compareExtractedFields(fieldsOf(before), fieldsOf(after), new Set()),
      ...compareModelValues(extractedOf(before), extractedOf(after)),
    ];
    const marked = await markVolatile(call.caller, delta, readings, after.blocks);
    const parts = withUnchanged ? wholePage(marked, later) : marked.blocks.map((change) => ({ change }));
    return { delta: marked, extracted, parts, html: renderDelta(marked) };
  };
}

function blocksOf(reading: CaptureRef | undefined, { blocks }: PageBodies): PageBlocks {
  if (reading === undefined) return NO_BLOCKS;
  if (blocks === undefined)
    throw new AppError(
      'not_found',
      'one of the two readings of the page was not read as text, so there is nothing to compare; choose another run with run_id or from',
    );
  return new StoredBlocks(blocks);
}

const fieldsOf = ({ fieldsJson }: PageBodies): Readonly<Record<string, unknown>> => JSON.parse(fieldsJson ?? '{}');
