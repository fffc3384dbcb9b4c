import type { Caller } from '@tidemark/contracts';
import type { CompareMarkupResponse, ComparePageResponse, ReadingPair } from '@tidemark/contracts/diff/v1/diff';
import type { PageBlocks } from '@tidemark/contracts/page/v1/blocks';
import { PageBodies } from '@tidemark/contracts/page/v1/page';
import { AppError } from '@tidemark/errors';
import type { CallContext, Peer } from '@tidemark/service';
import { compareExtractedFields, compareModelValues } from '../comparison/compare-extracted-fields.ts';
import type { ComparePool } from '../comparison/compare-pool.ts';
import { renderDelta } from '../comparison/render-delta.ts';
import { StoredBlocks } from '../comparison/stored-blocks.ts';
import type { PageDelta } from '../domain/page-delta.ts';
import { folderOf, pageKey } from '../domain/page-key.ts';
import { toWireDelta, toWireField } from '../grpc/to-wire.ts';
import { NO_BLOCKS } from '../records/build/whole-page.ts';
import { suggestSelectors } from '../selectors/suggest-selectors.ts';
import type { RecordReader } from '../store/record-views.ts';
import { overridesIn } from '../volatility/ignored-reason.ts';
import { sketchAnchors } from '../volatility/templates.ts';
import { type LearnedVolatility, VolatilityModel } from '../volatility/volatility-model.ts';
import { extractedOf, makeLoadBodies } from './load-captures.ts';
import type { MarkupPool } from './markup-pool.ts';

/** Time limit for all selector suggestions of one response. */
const SUGGESTIONS_TIMEOUT_MS = 10_000;

export interface ReadingComparisonDeps {
  readonly archive: Peer;
  readonly recordReader: RecordReader;
  readonly comparePool: ComparePool;
  readonly markupPool: MarkupPool;
  readonly learnedVolatility: (projectId: string) => Promise<LearnedVolatility>;
}

type AuthenticatedCall = CallContext & { readonly caller: Caller };

/** Compares two stored readings of one page within a request. Fetches nothing from the web and writes nothing. */
export class ReadingComparisonService {
  readonly #deps: ReadingComparisonDeps;

  constructor(deps: ReadingComparisonDeps) {
    this.#deps = deps;
  }

  /**
   * Compares text and extracted fields. Without an earlier or a later reading every block is added or removed.
   * @throws AppError not_found if a reading has no stored blocks
   */
  async compareText(call: AuthenticatedCall, readings: ReadingPair | undefined): Promise<ComparePageResponse> {
    const [before, after] = await this.#loadBodies(call, readings, ['blocks', 'fields', 'extraction']);
    const delta = await this.#deps.comparePool.compareNow(
      readings?.beforePageId === '' ? NO_BLOCKS : blocksOf(before),
      readings?.afterPageId === '' ? NO_BLOCKS : blocksOf(after),
    );
    const fields = [
      ...compareExtractedFields(fieldsOf(before), fieldsOf(after), new Set()),
      ...compareModelValues(extractedOf(before), extractedOf(after)),
    ];
    const marked = await this.#markVolatile(call.caller, delta, { readings, after: after.blocks });
    const wire = toWireDelta(marked);
    return { ...wire, fields: [...wire.fields, ...fields.map(toWireField)], html: renderDelta(marked) };
  }

  /** Marks the changes at places that the project has learned to be volatile, as records do. */
  async #markVolatile(
    caller: Caller,
    delta: PageDelta,
    { readings, after }: { readonly readings: ReadingPair | undefined; readonly after: Uint8Array | undefined },
  ): Promise<PageDelta> {
    if (readings === undefined || after === undefined || delta.blocks.length + delta.fields.length === 0) return delta;
    const { projectId, url, afterRunId } = readings;
    const { recordReader, learnedVolatility } = this.#deps;
    const config = await recordReader.configOf(caller, projectId, afterRunId);
    const volatility = new VolatilityModel(await learnedVolatility(projectId), overridesIn(config));
    const key = pageKey(url);
    const template = volatility.templates.assign(folderOf(key), sketchAnchors(new StoredBlocks(after)));
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

  /** Compares markup, and suggests replacements for selectors that broke in the later run. @throws AppError not_found if a reading has no stored HTML */
  async compareMarkup(call: AuthenticatedCall, readings: ReadingPair | undefined): Promise<CompareMarkupResponse> {
    const { markupPool, recordReader } = this.#deps;
    const [before, after] = await this.#loadBodies(call, readings, ['rawHtml']);
    const [earlier, later] = [htmlOf(before), htmlOf(after)];
    const delta = await markupPool.compare(earlier, later);
    const { projectId = '', afterRunId = '' } = readings ?? {};
    const record = await recordReader.find(call.caller, projectId, afterRunId);
    const suggest = (selector: string) => markupPool.suggest([earlier], [later], selector);
    const selectors = await suggestSelectors(record?.breaks ?? [], suggest, SUGGESTIONS_TIMEOUT_MS);
    return {
      changes: delta.ops.map(({ fromSelector = '', section = '', attribute = '', ...op }) => ({
        ...op,
        fromSelector,
        section,
        attribute,
        before: op.before,
        after: op.after,
      })),
      noiseSuppressed: { ...delta.noiseSuppressed },
      selectors,
      degraded: delta.degraded ?? '',
      truncated: delta.isTruncated,
    };
  }

  async #loadBodies(call: AuthenticatedCall, readings: ReadingPair | undefined, names: readonly string[]) {
    if (readings === undefined) throw new AppError('validation', 'readings: required');
    const load = makeLoadBodies(this.#deps.archive, names, call);
    const { beforeRunId, beforePageId, afterRunId, afterPageId } = readings;
    const [before, after] = await Promise.all([
      beforePageId === '' ? PageBodies.create() : load({ runId: beforeRunId, pageId: beforePageId }),
      afterPageId === '' ? PageBodies.create() : load({ runId: afterRunId, pageId: afterPageId }),
    ]);
    if (before === undefined || after === undefined)
      throw new AppError('not_found', 'a reading of the page no longer exists');
    return [before, after] as const;
  }
}

function blocksOf({ blocks }: PageBodies): PageBlocks {
  if (blocks === undefined)
    throw new AppError(
      'not_found',
      'one of the two readings of the page was not read as text, so there is nothing to compare; choose another run with run_id or from',
    );
  return new StoredBlocks(blocks);
}

function htmlOf({ rawHtml }: PageBodies): string {
  if (rawHtml === undefined)
    throw new AppError('not_found', 'a reading of the page has no stored HTML; config.store_html "always" stores it');
  return rawHtml;
}

const fieldsOf = ({ fieldsJson }: PageBodies): Readonly<Record<string, unknown>> => JSON.parse(fieldsJson ?? '{}');
