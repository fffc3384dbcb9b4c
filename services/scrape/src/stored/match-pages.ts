import type { BlobRef, PageRow } from '@tidemark/contracts/page/v1/page';
import type { MatchSelectorsRequest, MatchSelectorsResponse, PageMatches } from '@tidemark/contracts/scrape/v1/scrape';
import { within } from '@tidemark/deadline';
import { AppError } from '@tidemark/errors';
import type { SelectorMatch } from '@tidemark/page-reader';
import { Unreadable } from '../reader/read-pool.ts';
import type { StoredResult, StoredTask } from '../reader/stored-task.ts';
import { isValidBodyRef } from './stored-content.ts';

const SELECTORS_MAX = 50;
const PAGES_MAX = 200;
const SAMPLES_MAX = 20;
/** Maximum number of pages of one call in the readers at the same time, so that other calls get their turn. */
const AT_ONCE = 8;

export interface MatchPagesDeps {
  /** Runs a task on a reader thread, which also loads the stored bodies. */
  readonly runStored: (task: StoredTask, workspaceId: string) => Promise<StoredResult>;
}

/** The caller of a query, the time left for it, and the signal of its cancellation. */
export interface WaitBudget {
  readonly workspaceId: string;
  readonly remainingMs: () => number;
  readonly signal: AbortSignal;
}

/** Tries selectors on stored pages. Pages that are not matched in time are omitted. @throws AppError validation, unavailable */
export type MatchPages = (request: MatchSelectorsRequest, budget: WaitBudget) => Promise<MatchSelectorsResponse>;

export function makeMatchPages({ runStored }: MatchPagesDeps): MatchPages {
  return async (request, budget) => {
    const { selectors, pages } = request;
    if (selectors.length > SELECTORS_MAX) throw tooMany('selectors', SELECTORS_MAX);
    if (pages.length > PAGES_MAX) throw tooMany('pages', PAGES_MAX);
    const samples = Math.min(Math.max(request.samples, 0), SAMPLES_MAX);
    const run = (task: StoredTask) => runStored(task, budget.workspaceId);
    const matcher = new PageMatcher(run, selectors, samples);
    await matcher.validate();
    const found: (PageMatches | undefined)[] = pages.map(() => undefined);
    let next = 0;
    const worker = async (): Promise<void> => {
      for (let at = next++; at < pages.length; at = next++) {
        const page = pages[at];
        if (page === undefined || budget.signal.aborted || budget.remainingMs() <= 0) return;
        found[at] = await matcher.of(page);
      }
    };
    const workers = Array.from({ length: Math.min(AT_ONCE, pages.length) }, worker);
    // Once the call has failed or timed out, the remaining pages are not read.
    await within(Promise.all(workers), budget.remainingMs(), () => undefined).finally(() => {
      next = pages.length;
    });
    return { pages: found.filter((one) => one !== undefined), errors: { ...matcher.errors } };
  };
}

/** Matches the same selectors on several pages, and collects their errors. */
class PageMatcher {
  /** Why a selector can't be used, by its position. */
  readonly errors: Record<number, string> = {};
  readonly #runStored: (task: StoredTask) => Promise<StoredResult>;
  readonly #selectors: readonly string[];
  readonly #samples: number;

  constructor(runStored: (task: StoredTask) => Promise<StoredResult>, selectors: readonly string[], samples: number) {
    this.#runStored = runStored;
    this.#selectors = selectors;
    this.#samples = samples;
  }

  /** Compiles the selectors without a page, so that invalid ones are reported even if there are no pages. */
  async validate(): Promise<void> {
    const result = await this.#run(undefined);
    if ('matched' in result) this.#note(result.matched);
    else throw new AppError('unavailable', 'the selectors could not be compiled', { retryAfterSeconds: 2 });
  }

  async of({ id, content }: PageRow): Promise<PageMatches> {
    const blank = { pageId: id, hasHtml: false, matches: [] };
    if (content === undefined) return blank;
    if (!isValidBodyRef(content)) return { ...blank, error: 'the reference of its bodies is invalid' };
    const result = await this.#run(content);
    if ('noHtml' in result) return blank;
    // A temporary failure: a repeated call may succeed.
    if ('unreadable' in result && result.code === 'unavailable')
      throw new AppError('unavailable', result.unreadable, { retryAfterSeconds: 2 });
    if ('unreadable' in result) return { ...blank, error: result.unreadable };
    if (!('matched' in result)) return { ...blank, error: 'the page could not be matched' };
    this.#note(result.matched);
    const matches = result.matched.map(({ count, samples }) => ({ count, samples: [...samples] }));
    return { pageId: id, hasHtml: true, matches, error: this.#refusalsIn(result.matched) };
  }

  async #run(content: BlobRef | undefined): Promise<StoredResult> {
    const of = content === undefined ? { sha256: undefined } : { sha256: content.sha256, bytes: content.bytes };
    try {
      return await this.#runStored({ ...of, query: { selectors: this.#selectors, samples: this.#samples } });
    } catch (error) {
      if (error instanceof Unreadable) return { unreadable: error.message, code: 'internal' };
      throw error;
    }
  }

  #note(matched: readonly SelectorMatch[]): void {
    for (const [at, { error, isPageSpecific }] of matched.entries()) {
      if (error !== '' && !isPageSpecific && this.errors[at] === undefined) this.errors[at] = error;
    }
  }

  /** Returns the errors of selectors that are valid but cannot be matched on this page. */
  #refusalsIn(matched: readonly SelectorMatch[]): string | undefined {
    const refused = matched.flatMap(({ error, isPageSpecific }, at) =>
      isPageSpecific ? [`"${(this.#selectors[at] ?? '').slice(0, 80)}": ${error}`] : [],
    );
    return refused.length === 0 ? undefined : refused.slice(0, 5).join('; ');
  }
}

const tooMany = (what: string, most: number): AppError =>
  new AppError('validation', `${what}: at most ${most} per call`);
