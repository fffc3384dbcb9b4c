import { randomBytes } from 'node:crypto';
import { ALL_PROJECTS, actorOf, type Caller, events, newId } from '@tidemark/contracts';
import type { Scope } from '@tidemark/contracts/crawl/v1/crawl';
import type { RunTrigger } from '@tidemark/contracts/job/v1/job';
import type { CaptureOptions } from '@tidemark/contracts/scrape/v1/scrape';
import { AppError, codeOf } from '@tidemark/errors';
import { requireSameBody } from '@tidemark/jobs';
import type { Settings } from '@tidemark/project-config';
import { type OutgoingEvent, outgoingEvent } from '@tidemark/service';
import { RECRAWL, type Run } from '../domain/run/run.ts';
import { limitScope, readSeed } from '../domain/scope/scope-limits.ts';
import { checkPatterns } from '../domain/scope/scope-rules.ts';
import { pagesRecorded } from '../store/pages/run-page-events.ts';
import type { RunStore, RunWebhook } from '../store/runs/run-store.ts';
import { recrawlScope } from './recrawl-scope.ts';

const ROUTE = 'POST /crawl';
const SECRET_BYTES = 32;
const RECRAWL_RETRY_SECONDS = 10;
const UNIQUE_VIOLATION = '23505';
const MAX_CONFIG_CHARS = 4 * 1024 * 1024;

export interface StartOrder {
  readonly seed: string;
  readonly scope: Scope;
  readonly options: CaptureOptions;
  readonly trigger: RunTrigger;
  /** Undefined: a run without a project. */
  readonly projectId?: string | undefined;
  /** The configuration that the run was resolved from, masked. */
  readonly config: Settings | undefined;
  /** The settings that contain secrets. */
  readonly secrets: Settings | undefined;
  /** Undefined: none. */
  readonly webhookUrl?: string | undefined;
  readonly webhookEvents: readonly string[];
  readonly webhookMetadataJson?: string | undefined;
  readonly requestId: string;
  /** Undefined: none. */
  readonly idempotencyKey?: string | undefined;
  readonly requestHash: string;
  /** The id of the new run; a second start with the same id returns the first run. Absent: a new id. */
  readonly runId?: string | undefined;
  /** The destination that its pages are written to when it is done. */
  readonly destinationId?: string | undefined;
}

interface StartRunDeps {
  readonly runs: RunStore;
  /** Rejects an address that is not public. @throws AppError validation */
  readonly admit: (url: string, field: string) => Promise<void>;
  /** Rejects a caller whose workspace cannot pay for one page. @throws AppError credits_exhausted, tier_limit */
  readonly requireCredits: (caller: Caller, options: CaptureOptions) => Promise<void>;
  readonly seal: (secret: string, runId: string) => Uint8Array;
  readonly openSecret: (sealed: Uint8Array, runId: string) => string;
  /** Seals the headers and cookies of capture options: the run's row and its work messages contain no credentials. */
  readonly sealOptions: (options: CaptureOptions, workspaceId: string) => CaptureOptions;
  /** Sends events whose rows are committed. */
  readonly sendEvents: (outgoing: readonly OutgoingEvent[]) => void;
  /** Claims queued runs without waiting for the next poll. */
  readonly claimRuns: () => void;
  readonly now: () => Date;
}

export interface Started {
  readonly run: Run;
  /** Empty without a webhook, and if the run was repeated by its id. */
  readonly secret: string | undefined;
  readonly replayed: boolean;
}

/** Writes a queued run in one statement; any instance with free capacity then claims it. @throws AppError validation, credits_exhausted, conflict */
export type StartRun = (caller: Caller, order: StartOrder) => Promise<Started>;

export function makeStartRun(deps: StartRunDeps): StartRun {
  const { runs } = deps;
  return async (caller, order) => {
    const replay = await findReplay(deps, caller, order);
    if (replay !== undefined) return replay;
    const { scope, home, seed } = await checkOrder(deps, caller, order);
    const id = order.runId ?? newId('run');
    const { webhook, secret } = webhookOf(deps, order, id);
    const { trigger, requestId, idempotencyKey: key, requestHash, config, secrets } = order;
    const { workspaceId } = caller;
    const options = deps.sealOptions(order.options, workspaceId);
    const createdAt = deps.now();
    const { projectId } = order;
    const outgoing = startEvents({ id, workspaceId, projectId, createdAt }, webhook);
    const created = await runs
      .create({
        order: {
          id,
          workspaceId,
          projectId,
          seed,
          scope,
          options,
          trigger,
          requestId,
          createdAt,
          actorId: actorOf(caller),
          destinationId: order.destinationId,
        },
        config,
        sealedSecrets: secrets === undefined ? undefined : deps.seal(JSON.stringify(secrets), secretsContext(id)),
        home,
        webhook,
        idempotency: key === undefined ? undefined : { route: ROUTE, key, requestHash },
        outgoing,
      })
      .catch((error: unknown) => {
        if (codeOf(error) !== UNIQUE_VIOLATION) throw error;
        return 'taken' as const;
      });
    if (created !== true)
      return (await findReplay(deps, caller, order)) ?? (await rejectNotCreated(runs, order, created === 'taken'));
    deps.sendEvents(outgoing);
    deps.claimRuns();
    return { run: await findRun(runs, workspaceId, id), secret, replayed: false };
  };
}

/** Contexts under which the values of one run are sealed, so that one cannot be read as another. */
export const secretsContext = (runId: string): string => `${runId}:config`;
const urlContext = (runId: string): string => `${runId}:url`;

/** @throws AppError validation, credits_exhausted, tier_limit */
async function checkOrder(deps: StartRunDeps, caller: Caller, order: StartOrder) {
  const seed = readSeed(order.seed);
  checkPatterns(order.scope);
  const { scope, home } = await scopeOf(deps.runs, caller, order, seed);
  if (JSON.stringify([order.config, order.secrets]).length > MAX_CONFIG_CHARS)
    throw new AppError('validation', 'config: it is too large');
  await deps.admit(seed, 'url');
  if (order.webhookUrl !== undefined) await deps.admit(order.webhookUrl, 'webhook.url');
  if (order.projectId === undefined) await checkSettings(deps, order, scope);
  await deps.requireCredits(caller, order.options);
  return { scope, home, seed };
}

/**
 * Rejects feeds and webhooks that are not public. A crawl can become a project, whose settings are checked when they are saved; a run of a
 * project reports a feed that is refused.
 */
async function checkSettings({ admit }: StartRunDeps, { secrets }: StartOrder, scope: Scope): Promise<void> {
  const webhookUrl = secrets?.webhook_url;
  // An empty URL removes a stored one.
  if (webhookUrl !== undefined && webhookUrl !== '') await admit(webhookUrl, 'config.webhook_url');
  await Promise.all(scope.feeds.map((url, index) => admit(url, `config.feeds.${index}`)));
}

/** Returns the limited scope. A recrawl visits its list only, checked against the site as the last full run found it. */
async function scopeOf(runs: RunStore, { workspaceId }: Caller, order: StartOrder, seed: string) {
  const { scope, trigger, projectId } = order;
  if (trigger !== RECRAWL) return { scope: limitScope(scope), home: undefined };
  if (projectId === undefined)
    throw new AppError('validation', 'project_id: only pages of a project can be fetched again');
  const home = (await runs.lastFull({ workspaceId, access: ALL_PROJECTS }, projectId))?.home;
  return { scope: recrawlScope(seed, limitScope(scope), home), home };
}

function webhookOf(
  { seal }: StartRunDeps,
  order: StartOrder,
  id: string,
): { webhook: RunWebhook | undefined; secret: string | undefined } {
  const { webhookUrl: url, webhookEvents: subscribed, webhookMetadataJson: metadataJson } = order;
  if (url === undefined) return { webhook: undefined, secret: undefined };
  const secret = `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
  const sealed = { sealedUrl: seal(url, urlContext(id)), sealedSecret: seal(secret, id) };
  return { webhook: { events: subscribed, metadataJson, ...sealed }, secret };
}

/**
 * Returns the run that an earlier request with the same run id or idempotency key started. Under the key the webhook secret is returned
 * again: the client that repeats a request may never have received the first response.
 */
async function findReplay(
  { runs, openSecret }: StartRunDeps,
  { workspaceId }: Caller,
  { idempotencyKey: key, requestHash, runId }: StartOrder,
): Promise<Started | undefined> {
  const existing = runId === undefined ? undefined : await runs.find({ workspaceId, access: ALL_PROJECTS }, runId);
  if (existing !== undefined) return { run: existing, secret: undefined, replayed: true };
  const earlier = key === undefined ? undefined : await runs.findEarlier(workspaceId, ROUTE, key);
  if (earlier === undefined) return undefined;
  requireSameBody(earlier, requestHash);
  const sealed = await runs.findWebhookSecret(workspaceId, earlier.runId);
  const secret = sealed === undefined ? undefined : openSecret(sealed, earlier.runId);
  return { run: await findRun(runs, workspaceId, earlier.runId), secret, replayed: true };
}

async function findRun(runs: RunStore, workspaceId: string, id: string): Promise<Run> {
  const run = await runs.find({ workspaceId, access: ALL_PROJECTS }, id);
  if (run === undefined) throw new AppError('not_found', 'run not found');
  return run;
}

interface NewRun {
  readonly id: string;
  readonly workspaceId: string;
  readonly projectId: string | undefined;
  readonly createdAt: Date;
}

/** Returns the events of a start: the run has a webhook, and it exists in its project. */
const startEvents = (
  { id, workspaceId, projectId, createdAt }: NewRun,
  webhook: RunWebhook | undefined,
): OutgoingEvent[] => [
  ...(webhook === undefined ? [] : [runWatched({ id, workspaceId, at: createdAt }, webhook)]),
  ...(projectId === undefined ? [] : [pagesRecorded({ id, workspaceId, projectId }, 'created', [])]),
];

/** Returns the event that a run has a webhook, for the service that sends its messages; the secret stays sealed. */
const runWatched = (
  { id: runId, workspaceId, at }: { readonly id: string; readonly workspaceId: string; readonly at: Date },
  { sealedUrl, events: subscribed, metadataJson, sealedSecret }: RunWebhook,
): OutgoingEvent =>
  outgoingEvent(events.runWatched, `watched:${runId}`, {
    runId,
    workspaceId,
    at,
    events: [...subscribed],
    metadataJson,
    sealedUrl: Buffer.from(sealedUrl),
    sealedSecret: Buffer.from(sealedSecret),
  });

/** @throws AppError conflict if the project has an unfinished run; not_found; unavailable */
async function rejectNotCreated(runs: RunStore, order: StartOrder, isProjectBusy: boolean): Promise<never> {
  if (isProjectBusy && order.projectId !== undefined) throw await busy(runs, order.projectId);
  if (order.idempotencyKey === undefined) throw new AppError('not_found', 'project not found');
  throw new AppError('unavailable', 'an earlier request with this key is being undone; try again');
}

/** A recrawl ends soon: its conflict states when to try again, so that a scheduled run is postponed and not skipped. */
async function busy(runs: RunStore, projectId: string): Promise<AppError> {
  if ((await runs.unfinishedTrigger(projectId)) !== RECRAWL)
    return new AppError('conflict', 'a run of this project is queued or running; wait for it, or cancel it');
  const text = 'a re-crawl of pages of this project is queued or running; wait for it, or cancel it';
  return new AppError('conflict', text, { retryAfterSeconds: RECRAWL_RETRY_SECONDS });
}
