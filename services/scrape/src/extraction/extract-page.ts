import { createHash } from 'node:crypto';
import { textOrEmpty } from '@tidemark/contracts';
import type { ExtractionFailure } from '@tidemark/contracts/page/v1/page';
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
import type { CallOutcome, ModelPace, Permit } from './model-pace.ts';
import { type ExtractionResult, type ModelCall, mostTokensOf, type RequestExtraction } from './request-extraction.ts';
import type { TokenBudget } from './token-budget.ts';

/** Time of one call for a page with its correction, ms. */
const WITHIN_MS = 45_000;
/** Calls for one page that fail: a model that recovers is called again, but a page that it fails on ends. */
const MOST_TRIES = 10;
/** Calls for one page that get no response in time: the provider may charge each of them. */
const MOST_LATE_TRIES = 3;
/** Tokens of a job whose options are older than the setting. */
const DEFAULT_MAX_TOKENS = 10_000_000;
/** Increases when the prompt changes: earlier values are then not reused. */
const PROMPT_VERSION = 1;

export interface ExtractPageDeps {
  readonly sealer: Pick<Sealer, 'open'>;
  readonly store: Pick<ExtractionStore, 'find' | 'record'>;
  readonly budget: Pick<TokenBudget, 'reserve' | 'settle'>;
  readonly requestExtraction: RequestExtraction;
  readonly pace: Pick<ModelPace, 'acquire'>;
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
    const done = await extraction.run(extract, {
      task,
      row: captured.row,
      markdown: textOrEmpty(bodies.markdown),
      signal,
    });
    signal.throwIfAborted();
    const missingValues = done.errorCode;
    return {
      ...captured,
      bodies: PageBodies.encode({ ...bodies, extraction: done }).finish(),
      kept: undefined,
      missingValues,
    };
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
      const { isTruncated, ...prompt } = extractionPrompt(extract, {
        url: row.url,
        title: textOrEmpty(row.title),
        markdown,
      });
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
      const { tokens } = result;
      const outcome = 'valueJson' in result ? { valueJson: result.valueJson } : toError(result);
      const valueJson = 'valueJson' in result ? result.valueJson : undefined;
      if (valueJson !== undefined || tokens.input + tokens.output > 0)
        await store.record({ workspaceId, inputHash, valueJson, model: model.model, tokens, at: new Date() });
      return { ...NONE, ...common, ...outcome, inputTokens: tokens.input, outputTokens: tokens.output };
    } catch (error) {
      if (signal.aborted) throw error;
      log.warn({ err: error, job: task.jobId, page: task.captureId }, 'extraction failed, page is stored without it');
      return failed('unavailable', 'the extraction failed for an internal reason');
    }
  }

  /** Calls the model at its pace, and again after it was limiting, unreachable or broken: while the job has time. */
  async #request(
    call: Pick<ModelCall, 'model' | 'prompt' | 'schemaJson'>,
    extract: ExtractOptions,
    { task, signal }: PageInput,
  ): Promise<ExtractionResult> {
    const key = `${task.workspaceId} ${extract.connectionId}`;
    // The client of a single capture waits for it. A batch or a run continues with other pages.
    const timeoutMs = task.priority === 'interactive' ? task.options.timeoutSeconds * 1_000 : Number.POSITIVE_INFINITY;
    const untilMs = performance.now() + timeoutMs;
    let last: ExtractionResult | undefined;
    let tokens = NO_TOKENS;
    for (let tries = 0, late = 0; tries < MOST_TRIES && late < MOST_LATE_TRIES; tries += 1) {
      const permit = await this.#deps.pace.acquire(key, { untilMs, signal });
      if (permit.kind !== 'permitted') return { ...(last ?? WITHOUT_PERMIT[permit.kind]), tokens };
      last = await this.#call(call, extract, { task, signal, permit });
      tokens = { input: tokens.input + last.tokens.input, output: tokens.output + last.tokens.output };
      const failure = 'failure' in last ? last.failure?.failure : undefined;
      if (failure !== 'busy' && failure !== 'late') return { ...last, tokens };
      if (failure === 'late') late += 1;
    }
    return { ...(last ?? WITHOUT_PERMIT.late), tokens };
  }

  /** Calls the model once, under a slot and the token budget of the job. */
  async #call(
    call: Pick<ModelCall, 'model' | 'prompt' | 'schemaJson'>,
    { maxTokens = DEFAULT_MAX_TOKENS }: ExtractOptions,
    { task, signal, permit }: Pick<PageInput, 'task' | 'signal'> & { readonly permit: Permitted },
  ): Promise<ExtractionResult> {
    const { slots, budget, requestExtraction, withinMs = WITHIN_MS } = this.#deps;
    let outcome: CallOutcome = { kind: 'unused' };
    try {
      const release = await slots.acquire(task.workspaceId, signal).catch((error: unknown) => {
        if (signal.aborted || !(error instanceof AppError)) throw error;
        return undefined;
      });
      if (release === undefined) return { tokens: NO_TOKENS, ...WITHOUT_PERMIT.full };
      try {
        const most = mostTokensOf(call.prompt);
        if (!(await budget.reserve(task, most, maxTokens))) return overBudget(maxTokens);
        const result = await requestExtraction({ ...call, withinMs, signal });
        await budget.settle(task, most, result.tokens.input + result.tokens.output);
        outcome = outcomeOf(result);
        return result;
      } finally {
        release();
      }
    } finally {
      permit.end(outcome);
    }
  }
}

type Permitted = Extract<Permit, { kind: 'permitted' }>;

const WITHOUT_PERMIT = {
  down: {
    errorCode: 'unavailable',
    error: 'the model has refused or failed for too long and is called about once a minute until it recovers',
  },
  late: { errorCode: 'unavailable', error: 'the model was limiting or failing for all the time of this capture' },
  full: { errorCode: 'busy', error: 'too many extractions are in progress; try again later' },
} as const;

/** Returns what a result says about the model. */
function outcomeOf(result: ExtractionResult): CallOutcome {
  const failure = 'failure' in result ? result.failure : undefined;
  if (failure === undefined) return { kind: 'answered' };
  if (failure.failure === 'late') return { kind: 'busy', isLimited: true, retryAfterMs: undefined };
  if (failure.failure !== 'busy') return { kind: 'refused' };
  return { kind: 'busy', isLimited: failure.isLimited, retryAfterMs: failure.retryAfterMs };
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
  error: '',
};

const toError = ({ errorCode, error }: { readonly errorCode: ExtractionFailure; readonly error: string }) => ({
  errorCode,
  error,
});
const failed = (errorCode: ExtractionFailure, error: string): Extraction => ({ ...NONE, errorCode, error });

const hash = (parts: readonly unknown[]): Buffer => createHash('sha256').update(JSON.stringify(parts)).digest();
