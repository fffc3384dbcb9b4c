import { actedBy, type Caller, events, newId } from '@tidemark/contracts';
import type { LivePage } from '@tidemark/contracts/browser/v1/live';
import type { CaptureOptions as WireOptions } from '@tidemark/contracts/scrape/v1/scrape';
import { FetchFailed } from '@tidemark/egress';
import { AppError } from '@tidemark/errors';
import { type CreditGrant, type CreditRequest, creditsRefused } from '@tidemark/jobs';
import type { RobotsDecision } from '@tidemark/robots';
import { auditEvent, type Outbox, type OutgoingEvent, outgoingEvent } from '@tidemark/service';
import type { ExitPool } from '../capture/capture-deps.ts';
import { type CaptureOptions, toCaptureOptions } from '../domain/capture-options.ts';
import { browserWay, type Ladder } from '../domain/ladder.ts';
import type { OpenLogin } from '../domain/login.ts';
import { requireExits } from '../domain/require-exits.ts';
import { messageOfFailure } from '../engines/failure-messages.ts';
import { cookiesOf, toPairs } from '../engines/request-pairs.ts';
import type { LivePageClient, OpenedLivePage } from './live-page-client.ts';
import { OPENING_MS, type OpenedRecorder, RECORDER_MS, type Recorder } from './recorder.ts';
import type { RecorderStore } from './recorder-store.ts';

export interface OpenRecorderRequest {
  readonly projectId: string;
  readonly url: string;
  readonly options: WireOptions;
}

/** Limit of reading robots.txt, ms. */
const ROBOTS_MS = 10_000;

export interface OpenRecorderDeps {
  readonly recorders: RecorderStore;
  readonly livePages: LivePageClient;
  readonly outbox: Outbox;
  readonly lease: (request: CreditRequest) => Promise<CreditGrant>;
  readonly openLogin: OpenLogin;
  /** @throws AppError validation if the URL is not on the public web */
  readonly admit: (url: string, field: string) => Promise<void>;
  readonly ladder: Ladder;
  readonly exits: ExitPool & { hasCountry(country: string): boolean };
  readonly robots: { check(url: string, withinMs?: number): Promise<RobotsDecision> };
  readonly now: () => Date;
}

/**
 * Opens a recorder for the caller and charges its price once.
 * @throws AppError conflict if the caller has an open recorder or browser-pool is full, credits_exhausted, validation if the page can not be opened
 */
export type OpenRecorder = (
  caller: Caller,
  request: OpenRecorderRequest,
  signal: AbortSignal,
) => Promise<{ readonly recorder: OpenedRecorder; readonly page: LivePage }>;

export function makeOpenRecorder(deps: OpenRecorderDeps): OpenRecorder {
  const { recorders, livePages, outbox, lease, ladder, exits, admit, now } = deps;
  return async (caller, request, signal) => {
    const { projectId, url } = request;
    const options = toCaptureOptions(request.options);
    await admit(url, 'url');
    requireExits(options, exits);
    await requireRobots(deps, url, options);
    const { exit, credits: price } = browserWay(ladder, options, !exits.isEmpty);
    const createdAt = now();
    const expiresAt = new Date(createdAt.getTime() + RECORDER_MS);
    const id = newId('rcs');
    const reserved: Recorder = {
      ...actedBy(caller),
      id,
      projectId,
      startUrl: url,
      credits: price,
      createdAt,
      expiresAt,
    };
    await reserve(deps, caller, reserved);
    try {
      const { workspaceId, actorId } = reserved;
      const grant = await lease({ id, workspaceId, maxCredits: price, minCredits: price, actorId, projectId });
      if (grant.granted === 0) throw creditsRefused(grant, 'a recorder', price);
      const { response, address } = await openPage(deps, reserved, { url, options, exit }, signal);
      const recorder: OpenedRecorder = { ...reserved, address };
      const outgoing = [chargeOf(recorder, price, 1, now()), auditOf(recorder, now())];
      if (response.page === undefined || !(await recorders.open(recorder, outgoing))) {
        await livePages.close(recorder);
        throw response.failure === undefined
          ? new AppError('unavailable', 'the page took too long to open; try again', { retryAfterSeconds: 1 })
          : notOpened(messageOfFailure(response.failure));
      }
      outbox.send(outgoing);
      return { recorder, page: response.page };
    } catch (error) {
      await recorders.end(id);
      // A lost message is corrected when the lease expires.
      outbox.send([chargeOf(reserved, 0, 0, now())]);
      throw error;
    }
  };
}

/** Reserves the member's recorder, also in place of one whose page has ended. @throws AppError conflict */
async function reserve(
  { recorders, livePages, now }: Pick<OpenRecorderDeps, 'recorders' | 'livePages' | 'now'>,
  caller: Caller,
  recorder: Recorder,
): Promise<void> {
  const until = new Date(recorder.createdAt.getTime() + OPENING_MS);
  if (await recorders.reserve(recorder, until)) return;
  const earlier = await recorders.find(caller, now());
  if (earlier !== undefined && (await livePages.find(earlier)) === undefined) {
    await recorders.end(earlier.id);
    if (await recorders.reserve(recorder, until)) return;
  }
  throw new AppError(
    'conflict',
    earlier === undefined
      ? 'a recorder is being opened for you; wait for it'
      : `you have an open recorder for ${earlier.projectId} until ${earlier.expiresAt.toISOString()}; close it first`,
  );
}

/** Applies the rule of a capture. @throws AppError validation if robots.txt refuses the page, or can not be read */
async function requireRobots(
  { robots }: Pick<OpenRecorderDeps, 'robots'>,
  url: string,
  { respectRobots }: CaptureOptions,
): Promise<void> {
  if (!respectRobots) return;
  try {
    const { allowed, reason } = await robots.check(url, ROBOTS_MS);
    if (!allowed) throw notOpened(`${reason}; runs do not read it either while respect_robots is on`);
  } catch (error) {
    if (error instanceof FetchFailed) throw notOpened(`robots.txt can not be read: ${error.message}`);
    throw error;
  }
}

interface PageToOpen {
  readonly url: string;
  readonly options: CaptureOptions;
  readonly exit: boolean;
}

async function openPage(
  { livePages, openLogin, exits }: Pick<OpenRecorderDeps, 'livePages' | 'openLogin' | 'exits'>,
  { id, workspaceId }: Recorder,
  { url, options, exit }: PageToOpen,
  signal: AbortSignal,
): Promise<OpenedLivePage> {
  const { loginId, headers, userAgent, device, country } = options;
  const login = loginId === undefined ? undefined : await openLogin(workspaceId, loginId);
  if (loginId !== undefined && login === undefined)
    throw notOpened('the saved login of the project does not work any more');
  const { cookies } = cookiesOf({ options, login });
  const { hostname: host } = new URL(url);
  const route = exit ? await exits.lease({ workspaceId, host, country, session: '', tried: [] }) : undefined;
  if (exit && route === undefined) throw notOpened('no exit could be used');
  const page = { id, workspaceId, url, headers: toPairs(headers), cookies, userAgent, device };
  return livePages.open({ ...page, lifetimeMs: RECORDER_MS, exitLeaseId: route?.leaseId }, signal);
}

const notOpened = (reason: string): AppError =>
  new AppError('validation', `the page can not be opened: ${reason}`, {
    detail: [{ loc: ['body', 'url'], msg: reason, type: 'page_not_opened' }],
  });

const auditOf = ({ id, workspaceId, actorId, projectId, startUrl }: Recorder, at: Date): OutgoingEvent =>
  auditEvent(
    events.scrapeAudited,
    { workspaceId, actorId },
    { action: 'recorder.opened', subjectId: id, detail: { projectId, url: startUrl }, at },
  );

/** Returns the charge of a recorder. Idempotent by its id; no credits return what is reserved. */
const chargeOf = (
  { id, workspaceId, actorId, projectId }: Recorder,
  credits: number,
  pages: number,
  at: Date,
): OutgoingEvent =>
  outgoingEvent(events.creditSpent, `credit:${id}`, {
    ref: id,
    workspaceId,
    kind: 'page',
    credits,
    pages,
    at,
    actorId,
    projectId,
  });
