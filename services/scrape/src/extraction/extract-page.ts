import { createHash } from 'node:crypto';
import { type Extraction, PageBodies, type PageRow } from '@tidemark/contracts/page/v1/page';
import type { ExtractOptions } from '@tidemark/contracts/scrape/v1/scrape';
import { AppError } from '@tidemark/errors';
import { openModel } from '@tidemark/models';
import type { Sealer } from '@tidemark/sealing';
import type { FairQueue, Logger } from '@tidemark/service';
import type { Captured } from '../capture/capture-deps.ts';
import type { PageTask } from '../domain/page-task.ts';
import { extractionPrompt } from './extraction-prompt.ts';
import type { ExtractionStore } from './extraction-store.ts';
import type { FailingModels } from './failing-models.ts';
import {
  type ExtractionErrorCode,
  type ExtractionResult,
  type ModelCall,
  mostTokensOf,
  type RequestExtraction,
} from './request-extraction.ts';
import type { TokenBudget } from './token-budget.ts';

/** Time of all calls for one page, ms. */
const WITHIN_MS = 45_000;
/** Tokens of a job whose options are older than the setting. */
const DEFAULT_MAX_TOKENS = 10_000_000;
/** Increases when the prompt changes: earlier values are then not reused. */
const PROMPT_VERSION = 1;

export interface ExtractPageDeps {
  readonly sealer: Pick<Sealer, 'open'>;
  readonly store: Pick<ExtractionStore, 'find' | 'record'>;
  readonly budget: Pick<TokenBudget, 'reserve' | 'settle'>;
  readonly requestExtraction: RequestExtraction;
  readonly failing: FailingModels;
  /** Calls in progress, shared fairly between workspaces. */
  readonly slots: Pick<FairQueue, 'acquire'>;
  readonly log: Pick<Logger, 'warn'>;
  readonly withinMs?: number;
}

/** Adds the extraction of a page to its bodies, if its options request one. */
export type ExtractPage = <T extends Captured>(task: PageTask, captured: T, signal: AbortSignal) => Promise<T>;

const READ: readonly string[] = ['ok', 'thin', 'cached'];

/**
 * Extracts values from the main content of captured pages with the models of their workspaces. A failure is stored with the page and never fails
 * it. @throws the reason of `signal` once it is aborted, so that a later attempt extracts
 */
export function makeExtractPage(deps: ExtractPageDeps): ExtractPage {
  const extraction = new PageExtraction(deps);
  return async (task, captured, signal) => {
    const { extract } = task.options;
    if (extract === undefined || !READ.includes(captured.row.verdict)) return captured;
    const bodies = PageBodies.decode(captured.bodies ?? new Uint8Array());
    const done = await extraction.run(extract, { task, row: captured.row, markdown: bodies.markdown ?? '', signal });
    signal.throwIfAborted();
    return { ...captured, bodies: PageBodies.encode({ ...bodies, extraction: done }).finish(), kept: undefined };
  };
}

interface PageInput {
  readonly task: PageTask;
  readonly row: PageRow;
  readonly markdown: string;
  readonly signal: AbortSignal;
}

class PageExtraction {
  readonly #deps: ExtractPageDeps;

  constructor(deps: ExtractPageDeps) {
    this.#deps = deps;
  }

  /** Returns the values of a page, from the cache or its model, or why there are none. */
  async run(extract: ExtractOptions, page: PageInput): Promise<Extraction> {
    const { task, row, markdown, signal } = page;
    const { store, sealer, log } = this.#deps;
    const { workspaceId } = task;
    if (markdown.trim() === '') return failed('empty', 'the page has no main content');
    if (extract.sealedModel.length === 0) return failed('refused', 'the connection to a language model does not exist');
    try {
      const model = openModel(extract.sealedModel, sealer, workspaceId);
      const { isTruncated, ...prompt } = extractionPrompt(extract, { url: row.url, title: row.title ?? '', markdown });
      const extractionKey = hash([
        PROMPT_VERSION,
        model.provider,
        model.baseUrl,
        model.model,
        extract.schemaJson,
        extract.prompt,
      ]);
      const common = { model: model.model, isTruncated, extractionKey: extractionKey.toString('base64url') };
      const inputHash = hash([common.extractionKey, prompt.question]);
      const known = await store.find(workspaceId, inputHash);
      if (known !== undefined) return { ...NONE, ...common, valueJson: known, isCached: true };
      const result = await this.#request({ model, prompt, schemaJson: extract.schemaJson }, extract, page);
      const { tokens, ...outcome } = result;
      const valueJson = 'valueJson' in outcome ? outcome.valueJson : undefined;
      if (valueJson !== undefined || tokens.input + tokens.output > 0)
        await store.record({ workspaceId, inputHash, valueJson, model: model.model, tokens, at: new Date() });
      return { ...NONE, ...common, ...outcome, inputTokens: tokens.input, outputTokens: tokens.output };
    } catch (error) {
      if (signal.aborted) throw error;
      log.warn({ err: error, job: task.jobId, page: task.captureId }, 'extraction failed, page is stored without it');
      return failed('unavailable', 'the extraction failed for an internal reason');
    }
  }

  /** Calls the model under a slot, unless it failed repeatedly. */
  async #request(
    call: Pick<ModelCall, 'model' | 'prompt' | 'schemaJson'>,
    { connectionId, maxTokens }: ExtractOptions,
    { task, signal }: PageInput,
  ): Promise<ExtractionResult> {
    const { slots, failing, budget, requestExtraction, withinMs = WITHIN_MS } = this.#deps;
    const { workspaceId } = task;
    const failureKey = `${workspaceId} ${connectionId}`;
    const skipped = {
      tokens: NO_TOKENS,
      errorCode: 'unavailable',
      error: 'the model failed repeatedly and is not called for a minute',
    } as const;
    if (failing.isOpen(failureKey)) return skipped;
    const release = await slots.acquire(workspaceId, signal).catch((error: unknown) => {
      if (signal.aborted || !(error instanceof AppError)) throw error;
      return undefined;
    });
    if (release === undefined)
      return { tokens: NO_TOKENS, errorCode: 'busy', error: 'too many extractions are in progress; try again later' };
    try {
      // Calls that waited may have failed since.
      if (failing.isOpen(failureKey)) return skipped;
      const most = mostTokensOf(call.prompt);
      if (!(await budget.reserve(task, most, maxTokens || DEFAULT_MAX_TOKENS))) return overBudget(maxTokens);
      const result = await requestExtraction({ ...call, withinMs, signal });
      await budget.settle(task, most, result.tokens.input + result.tokens.output);
      failing.record(failureKey, 'errorCode' in result && result.errorCode !== 'invalid');
      return result;
    } finally {
      release();
    }
  }
}

const NO_TOKENS = { input: 0, output: 0 };
const overBudget = (maxTokens: number): ExtractionResult => ({
  tokens: NO_TOKENS,
  errorCode: 'budget',
  error: `this extraction could exceed the ${maxTokens} tokens that the job may use; raise config.extract.max_tokens`,
});
const NONE: Extraction = {
  model: '',
  inputTokens: 0,
  outputTokens: 0,
  isCached: false,
  isTruncated: false,

  extractionKey: '',
  errorCode: '',
  error: '',
};

const failed = (errorCode: ExtractionErrorCode, error: string): Extraction => ({ ...NONE, errorCode, error });

const hash = (parts: readonly unknown[]): Buffer => createHash('sha256').update(JSON.stringify(parts)).digest();
