import type { Caller } from '@tidemark/contracts';
import type { CompareMarkupResponse, ComparePageResponse, ReadingPair } from '@tidemark/contracts/diff/v1/diff';
import type { PageBlocks } from '@tidemark/contracts/page/v1/blocks';
import type { PageBodies } from '@tidemark/contracts/page/v1/page';
import { AppError } from '@tidemark/errors';
import type { CallContext, Peer } from '@tidemark/service';
import { renderDelta } from './compare/render-delta.ts';
import { StoredBlocks } from './compare/stored-blocks.ts';
import type { PageDelta } from './domain/page-delta.ts';
import { makeReadBodies } from './making/open-page.ts';
import type { MarkupPool } from './markup/markup-pool.ts';
import { compareFields } from './record/compare-fields.ts';
import type { RecordViews } from './store/record-views.ts';
import { suggestSelectors } from './suggest-selectors.ts';
import { toWireDelta, toWireField } from './to-wire.ts';

/** All suggestions of one answer together. */
const SUGGESTIONS_MS = 10_000;

export interface CompareDeskDeps {
  readonly archive: Peer;
  readonly records: RecordViews;
  readonly compare: (before: PageBlocks, after: PageBlocks) => Promise<PageDelta>;
  readonly markup: MarkupPool;
}

type Asked = CallContext & { readonly caller: Caller };

/** Compares two stored readings of one page while somebody waits. Nothing is fetched, and nothing written. */
export class CompareDesk {
  readonly #deps: CompareDeskDeps;

  constructor(deps: CompareDeskDeps) {
    this.#deps = deps;
  }

  /** Word by word. @throws AppError not_found where a reading kept nothing to compare */
  async page(asked: Asked, readings: ReadingPair | undefined): Promise<ComparePageResponse> {
    const [before, after] = await this.#bodies(asked, readings, ['blocks', 'fields']);
    const blocksOf = ({ blocks }: PageBodies): PageBlocks => {
      if (blocks === undefined) throw nothingKept('cut into blocks, which runs of projects do');
      return new StoredBlocks(blocks);
    };
    const delta = await this.#deps.compare(blocksOf(before), blocksOf(after));
    const fields = compareFields(fieldsOf(before), fieldsOf(after), new Set());
    const wire = toWireDelta(delta);
    return { ...wire, fields: [...wire.fields, ...fields.map(toWireField)], html: renderDelta(delta) };
  }

  /** The markup, and what to take in place of selectors that broke with the later run. @throws AppError not_found where html is not stored */
  async markup(asked: Asked, readings: ReadingPair | undefined): Promise<CompareMarkupResponse> {
    const [before, after] = await this.#bodies(asked, readings, ['rawHtml']);
    const htmlOf = ({ rawHtml }: PageBodies): string => {
      if (rawHtml === undefined) throw nothingKept('stored as html; config.store_html "always" keeps it');
      return rawHtml;
    };
    const [earlier, later] = [htmlOf(before), htmlOf(after)];
    const { markup, records } = this.#deps;
    const delta = await markup.compare(earlier, later);
    const { projectId = '', afterRunId = '' } = readings ?? {};
    const record = await records.find(asked.caller, projectId, afterRunId);
    const suggest = (selector: string) => markup.suggest([earlier], [later], selector);
    const selectors = await suggestSelectors(record?.breaks ?? [], suggest, SUGGESTIONS_MS);
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

  async #bodies(asked: Asked, readings: ReadingPair | undefined, names: readonly string[]) {
    if (readings === undefined) throw new AppError('validation', 'a comparison is of two readings');
    const read = makeReadBodies(this.#deps.archive, names, asked);
    const { beforeRunId, beforePageId, afterRunId, afterPageId } = readings;
    const [before, after] = await Promise.all([
      read({ runId: beforeRunId, pageId: beforePageId }),
      read({ runId: afterRunId, pageId: afterPageId }),
    ]);
    if (before === undefined || after === undefined) throw new AppError('not_found', 'a reading of the page is gone');
    return [before, after] as const;
  }
}

const nothingKept = (kept: string): AppError => new AppError('not_found', `a reading of the page was not ${kept}`);

const fieldsOf = ({ fieldsJson }: PageBodies): Readonly<Record<string, unknown>> => JSON.parse(fieldsJson ?? '{}');
