import { randomBytes } from 'node:crypto';
import { type Caller, events, newId } from '@tidemark/contracts';
import type { Scope } from '@tidemark/contracts/crawl/v1/crawl';
import type { CaptureOptions } from '@tidemark/contracts/scrape/v1/scrape';
import { AppError, codeOf } from '@tidemark/errors';
import { requireSameBody } from '@tidemark/jobs';
import { type OutgoingEvent, outgoingEvent } from '@tidemark/service';
import { normalizeUrl, parseWebUrl } from '@tidemark/web-url';
import { RECRAWL, type Run } from './domain/run.ts';
import { checkPatterns } from './domain/scope-rules.ts';
import { recrawlScope } from './recrawl.ts';
import { pagesRecorded } from './store/run-page-events.ts';
import type { RunStore, RunWebhook } from './store/run-store.ts';

const ROUTE = 'POST /crawl';
const SECRET_BYTES = 32;
const UNIQUE_VIOLATION = '23505';
const MAX_PAGES = 10_000_000;
const MAX_DEPTH = 1_000;
const MAX_LIST = 50_000;
const MAX_FEEDS = 100;
const MAX_CONFIG_CHARS = 4 * 1024 * 1024;

export interface StartOrder {
  readonly seed: string;
  readonly scope: Scope;
  readonly options: CaptureOptions;
  readonly trigger: string;
  readonly projectId: string;
  readonly configJson: string;
  readonly webhookUrl: string;
  readonly webhookEvents: readonly string[];
  readonly webhookMetadata: string;
  readonly requestId: string;
  readonly idempotencyKey: string;
  readonly requestHash: string;
  /** The id the run is to have, where it was given one: there is one run of it, however often it is asked for. */
  readonly runId?: string | undefined;
}

export interface RunDeskDeps {
  readonly runs: RunStore;
  /** Refuses an address nobody may be sent to. @throws AppError validation */
  readonly admit: (url: string, field: string) => Promise<void>;
  /** Refuses who could not pay for one page. @throws AppError credits_exhausted, tier_limit */
  readonly refusePenniless: (caller: Caller, options: CaptureOptions) => Promise<void>;
  readonly seal: (secret: string, runId: string) => Uint8Array;
  /** Tells what was written with a run. */
  readonly tell: (told: readonly OutgoingEvent[]) => void;
  /** Has waiting runs looked for at once. */
  readonly look: () => void;
  readonly now: () => Date;
}

export interface Started {
  readonly run: Run;
  /** Empty without a webhook, and on a replay. */
  readonly secret: string;
  readonly replayed: boolean;
}

/** Takes runs on: written whole, answered at once, conducted by whichever process has room. */
export class RunDesk {
  readonly #deps: RunDeskDeps;

  constructor(deps: RunDeskDeps) {
    this.#deps = deps;
  }

  /** @throws AppError validation, credits_exhausted, conflict */
  async start(caller: Caller, order: StartOrder): Promise<Started> {
    const { runs, admit, refusePenniless, look } = this.#deps;
    const replay = await this.#replayOf(caller, order);
    if (replay !== undefined) return replay;
    const seed = readSeed(order.seed);
    checkPatterns(order.scope);
    const { scope, home } = await this.#scopeOf(caller, order, seed);
    checkConfig(order.configJson);
    await admit(seed, 'url');
    if (order.webhookUrl !== '') await admit(order.webhookUrl, 'webhook.url');
    await refusePenniless(caller, order.options);
    const id = order.runId ?? newId('run');
    const { webhook, secret } = this.#webhookOf(order, id);
    const { options, trigger, requestId, idempotencyKey: key, requestHash, configJson } = order;
    const { workspaceId } = caller;
    const createdAt = this.#deps.now();
    const projectId = order.projectId === '' ? undefined : order.projectId;
    const told = [
      ...(webhook === undefined ? [] : [watched({ id, workspaceId, at: createdAt }, webhook)]),
      ...(projectId === undefined ? [] : [pagesRecorded({ id, workspaceId, projectId }, 'created', [])]),
    ];
    const made = await runs
      .create({
        order: { id, workspaceId, projectId, seed, scope, options, trigger, requestId, createdAt },
        configJson,
        home,
        webhook,
        idempotency: key === '' ? undefined : { route: ROUTE, key, requestHash },
        told,
      })
      .catch((error: unknown) => {
        if (codeOf(error) !== UNIQUE_VIOLATION) throw error;
        return 'taken' as const;
      });
    if (made !== true) {
      const earlier = await this.#replayOf(caller, order);
      if (earlier !== undefined) return earlier;
      if (made === 'taken') throw underWay();
      if (key === '') throw new AppError('not_found', 'there is no such project');
      throw new AppError('unavailable', 'an earlier request with this key is being undone; try again');
    }
    this.#deps.tell(told);
    look();
    return { run: await this.#found(workspaceId, id), secret, replayed: false };
  }

  /** What the run may visit; of a recrawl, nothing but its list, which is of the site as its last full run found it. */
  async #scopeOf({ workspaceId }: Caller, { scope, trigger, projectId }: StartOrder, seed: string) {
    if (trigger !== RECRAWL) return { scope: bounded(scope), home: undefined };
    if (projectId === '') throw new AppError('validation', 'project_id: only the pages of a project are fetched again');
    const home = (await this.#deps.runs.lastFull({ workspaceId, projects: [] }, projectId))?.home;
    return { scope: recrawlScope(seed, bounded(scope), home), home };
  }

  #webhookOf(order: StartOrder, id: string): { webhook: RunWebhook | undefined; secret: string } {
    if (order.webhookUrl === '') return { webhook: undefined, secret: '' };
    const secret = `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
    const sealedSecret = this.#deps.seal(secret, id);
    const { webhookUrl: url, webhookEvents: events, webhookMetadata: metadata } = order;
    return { webhook: { url, events, metadata, sealedSecret }, secret };
  }

  async #replayOf({ workspaceId }: Caller, { idempotencyKey: key, requestHash, runId }: StartOrder) {
    const named = runId === undefined ? undefined : await this.#deps.runs.find({ workspaceId, projects: [] }, runId);
    if (named !== undefined) return { run: named, secret: '', replayed: true };
    const earlier = key === '' ? undefined : await this.#deps.runs.findEarlier(workspaceId, ROUTE, key);
    if (earlier === undefined) return undefined;
    requireSameBody(earlier, requestHash);
    return { run: await this.#found(workspaceId, earlier.runId), secret: '', replayed: true };
  }

  async #found(workspaceId: string, id: string): Promise<Run> {
    const run = await this.#deps.runs.find({ workspaceId, projects: [] }, id);
    if (run === undefined) throw new AppError('not_found', 'there is no such run');
    return run;
  }
}

/** The webhook of a run, for the service that sends its messages; the secret stays sealed. */
const watched = (
  { id: runId, workspaceId, at }: { readonly id: string; readonly workspaceId: string; readonly at: Date },
  { url, events: subscribed, metadata: metadataJson, sealedSecret }: RunWebhook,
): OutgoingEvent =>
  outgoingEvent(events.runWatched, `watched:${runId}`, {
    ...{ runId, workspaceId, at, url, events: [...subscribed], metadataJson },
    sealedSecret: Buffer.from(sealedSecret),
  });

const underWay = (): AppError =>
  new AppError('conflict', 'a run of this project is queued or running; wait for it, or cancel it');

export function readSeed(seed: string): string {
  const parsed = parseWebUrl(seed);
  if (parsed.ok) return normalizeUrl(parsed.url);
  throw new AppError('validation', `url: ${parsed.reason}`, {
    detail: [{ loc: ['body', 'url'], msg: parsed.reason, type: 'address_refused' }],
  });
}

/** The scope with every number within what the service holds. */
export function bounded(scope: Scope): Scope {
  const within = (value: number, least: number, most: number): number => Math.min(Math.max(value, least), most);
  if (scope.urlList.length > MAX_LIST) throw new AppError('validation', `url_list: at most ${MAX_LIST} addresses`);
  if (scope.feeds.length > MAX_FEEDS) throw new AppError('validation', `feeds: at most ${MAX_FEEDS}`);
  return {
    ...scope,
    maxPages: within(scope.maxPages, 1, MAX_PAGES),
    maxDepth: within(scope.maxDepth, 0, MAX_DEPTH),
    concurrency: within(scope.concurrency, 1, 100),
    delayMs: within(scope.delayMs, 0, 3_600_000),
    timeLimitMinutes: within(scope.timeLimitMinutes, 1, 60 * 24 * 30),
  };
}

function checkConfig(configJson: string): void {
  if (configJson.length > MAX_CONFIG_CHARS) throw new AppError('validation', 'config: it is too large to be kept');
}
