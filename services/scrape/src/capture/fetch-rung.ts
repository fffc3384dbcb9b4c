import type { PageRow } from '@tidemark/contracts/page/v1/page';
import { AppError } from '@tidemark/errors';
import { type Attempt, toAttempt } from '../domain/attempt.ts';
import { needAfter, type Rung } from '../domain/ladder.ts';
import type { LoginSession } from '../domain/login.ts';
import { toExchange } from '../domain/page-exchange.ts';
import { type Reading, unchangedRow } from '../domain/page-row.ts';
import type { PageTask } from '../domain/page-task.ts';
import type { Budget, ExitRoute, Fetched, NoResponse, Validators } from '../domain/ports.ts';
import { EXIT_FAILED, noResponse } from '../engines/no-response.ts';
import { Unreadable } from '../reader/read-pool.ts';
import type { CaptureDeps, Captured, Earlier } from './capture-deps.ts';
import type { StageClock } from './stage-clock.ts';

/** Output by priority class: an interactive caller gets the bodies, a run follows the links. */
const OUTPUTS = { interactive: 'bodies', batch: 'none', run: 'graph' } as const;
/** Maximum number of exits per rung and page. */
const EXITS_TRIED = 2;

/** Fetches one page by rungs of the ladder, and records each attempt. */
export class RungFetcher {
  readonly attempts: Attempt[] = [];
  /** The login the page is read with; undefined: none. */
  login: LoginSession | undefined;
  readonly #deps: Pick<CaptureDeps, 'engines' | 'exits' | 'reader' | 'readBodies' | 'now'>;
  readonly #task: PageTask;
  readonly #budget: Budget;
  readonly #clock: StageClock;
  readonly #host: string;
  #removed: readonly unknown[] = [];
  #exitBytes = 0;

  constructor(deps: CaptureDeps, task: PageTask, { budget, clock }: { budget: Budget; clock: StageClock }) {
    this.#deps = deps;
    this.#task = task;
    this.#budget = budget;
    this.#clock = clock;
    this.#host = new URL(task.url).host;
  }

  /** Parts that filters removed from the last result. */
  get removed(): readonly unknown[] {
    return this.#removed;
  }

  /** Bytes transferred through exits, all rungs together. */
  get exitBytes(): number {
    return this.#exitBytes;
  }

  /** Tries one rung, with another exit if the first fails. */
  async try(rung: Rung, earlier: Earlier | undefined): Promise<Reading | NoResponse | Captured> {
    if (!rung.exit) return this.#fetch(rung, undefined, earlier);
    let failed = noResponse('exit', 'no exit could be used');
    const { workspaceId, session, options } = this.#task;
    const request = { workspaceId, host: this.#host, country: options.country, session };
    const tried: string[] = [];
    while (tried.length < EXITS_TRIED) {
      const exit = await this.#deps.exits.lease({ ...request, tried });
      if (exit === undefined) return failed;
      tried.push(exit.name);
      const outcome = await this.#fetch(rung, exit, earlier);
      if (!('kind' in outcome) || outcome.signal !== EXIT_FAILED) return outcome;
      failed = outcome;
    }
    return failed;
  }

  async #fetch(
    rung: Rung,
    exit: ExitRoute | undefined,
    earlier: Earlier | undefined,
  ): Promise<Reading | NoResponse | Captured> {
    const engine = this.#deps.engines.get(rung.tier);
    if (engine === undefined) throw new AppError('internal', `the ladder names an unknown engine: ${rung.tier}`);
    const { url, options, workspaceId, session } = this.#task;
    const unlessStill = rung.tier === 'http' && earlier !== undefined ? validatorsOf(earlier.row) : undefined;
    const startedAtMs = performance.now();
    const response = await this.#clock.time(rung.tier === 'browser' ? 'render' : 'fetch', () =>
      engine.fetch({ url, options, workspaceId, exit, session, unlessStill, login: this.login }, this.#budget),
    );
    const exitBytes = response.kind === 'fetched' ? (response.exitBytes ?? 0) : 0;
    this.#exitBytes += exitBytes;
    if (response.kind === 'fetched' && response.status === 304 && earlier !== undefined) {
      response.release?.();
      // The stored bodies may be gone: then fetch without validators.
      return (await this.#unchanged(rung, response, earlier)) ?? this.#fetch(rung, exit, undefined);
    }
    const outcome =
      response.kind === 'fetched'
        ? await this.#read(rung, exit, response).finally(() => response.release?.())
        : response;
    if (this.#task.options.explain) {
      this.attempts.push(toAttempt(rung, exit?.name, performance.now() - startedAtMs, outcome));
    }
    if (exit !== undefined) this.#reportExit(exit, outcome, exitBytes);
    return outcome;
  }

  /** Returns the earlier page as the result of a 304; undefined if its stored bodies are gone. */
  async #unchanged(rung: Rung, response: Fetched, { row: earlier }: Earlier): Promise<Captured | undefined> {
    const bodies = await this.#deps.readBodies(earlier);
    if (bodies === undefined) return undefined;
    // No write needed: a blob that a row references is never deleted.
    const at = this.#deps.now();
    const exchange = toExchange(response, at, false);
    const row = unchangedRow(this.#task, at, earlier, { rung, exchange });
    return { row, bodies, kept: earlier.content, latencyMs: response.latencyMs };
  }

  #reportExit(exit: ExitRoute, outcome: Reading | NoResponse, bytes: number): void {
    const report = (what: 'read' | 'refused' | 'failed') =>
      this.#deps.exits.report(this.#task.workspaceId, exit, what, bytes);
    if ('kind' in outcome) {
      if (outcome.signal === EXIT_FAILED && outcome.isExitUntested !== true) report('failed');
      return;
    }
    report(needAfter(outcome.classification) === 'nothing' ? 'read' : 'refused');
  }

  async #read(rung: Rung, exit: ExitRoute | undefined, response: Fetched): Promise<Reading | NoResponse> {
    const { body, contentType, status, headers, landedUrl, redirects } = response;
    const { options, url, priority, workspaceId, isRecapture, repeatedBlocks } = this.#task;
    const output = isRecapture === true ? 'unstored' : OUTPUTS[priority];
    const { minWords, languages, parseDocuments, formats } = options;
    const rendered = rung.tier === 'browser';
    const shared = { status, headers, landedUrl };
    const what = { body, contentType, requestedUrl: url, rendered, minWords, languages, content: options };
    const { cutBlocks = false, volatileSelectors } = options;
    const cut = cutBlocks ? { cut: { volatileSelectors: volatileSelectors?.selectors ?? [] } } : {};
    const later = options.extract === undefined ? {} : { isExtracted: true as const };
    const site = repeatedBlocks === undefined ? {} : { site: { repeated: repeatedBlocks } };
    try {
      const { removed, ...result } = await this.#clock.time('read', () =>
        this.#deps.reader.read(
          { ...shared, ...what, ...cut, ...site, ...later, parseDocuments, formats, output },
          priority,
          workspaceId,
        ),
      );
      this.#removed = removed;
      const exchange = isRecapture === true ? undefined : toExchange(response, this.#deps.now(), rendered);
      const { warnings = [], actions = [], screenshot, exitBytes = 0, latencyMs } = response;
      const fetch = {
        rung,
        exit: exit?.name,
        exitBytes,
        latencyMs,
        bytes: body.length,
        redirects,
        warnings,
        actions,
        screenshot,
        exchange,
      };
      return { ...shared, ...fetch, ...result };
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      return { kind: 'no_response', errorCode: 'TIMEOUT', reason: error.message, signal: 'unreadable page' };
    }
  }
}

const validatorsOf = ({ etag, lastModified }: PageRow): Validators | undefined =>
  etag === '' && lastModified === '' ? undefined : { etag, lastModified };
