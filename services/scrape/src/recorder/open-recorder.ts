import { actedBy, type Caller, events, newId } from '@tidemark/contracts';
import type { LivePage } from '@tidemark/contracts/browser/v1/live';
import type { CaptureOptions } from '@tidemark/contracts/scrape/v1/scrape';
import { AppError } from '@tidemark/errors';
import { type CreditGrant, type CreditRequest, creditsRefused } from '@tidemark/jobs';
import { auditEvent, type Outbox, type OutgoingEvent, outgoingEvent } from '@tidemark/service';
import type { OpenLogin } from '../domain/login.ts';
import { messageOfFailure } from '../engines/failure-messages.ts';
import { cookiesOf, toPairs } from '../engines/request-pairs.ts';
import type { LivePageClient, OpenedLivePage } from './live-page-client.ts';
import { OPENING_MS, type OpenedRecorder, RECORDER_MS, type Recorder } from './recorder.ts';
import type { RecorderStore } from './recorder-store.ts';

export interface OpenRecorderRequest {
  readonly projectId: string;
  readonly url: string;
  readonly options: Pick<CaptureOptions, 'headers' | 'cookies' | 'device' | 'userAgent' | 'loginId'>;
}

interface OpenRecorderDeps {
  readonly recorders: RecorderStore;
  readonly livePages: LivePageClient;
  readonly outbox: Outbox;
  readonly lease: (request: CreditRequest) => Promise<CreditGrant>;
  readonly openLogin: OpenLogin;
  /** @throws AppError validation if the URL is not on the public web */
  readonly admit: (url: string, field: string) => Promise<void>;
  /** Price of a page read with a browser, credits. */
  readonly price: number;
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
  const { recorders, livePages, outbox, lease, admit, price, now } = deps;
  return async (caller, request, signal) => {
    const { projectId, url } = request;
    await admit(url, 'url');
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
      const { response, address } = await openPage(deps, reserved, request, signal);
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

async function openPage(
  { livePages, openLogin }: Pick<OpenRecorderDeps, 'livePages' | 'openLogin'>,
  { id, workspaceId }: Recorder,
  { url, options }: OpenRecorderRequest,
  signal: AbortSignal,
): Promise<OpenedLivePage> {
  const { loginId, headers, userAgent, device } = options;
  const login = loginId === undefined ? undefined : await openLogin(workspaceId, loginId);
  if (loginId !== undefined && login === undefined)
    throw notOpened('the saved login of the project does not work any more');
  const { cookies } = cookiesOf({ options, login });
  const page = { id, workspaceId, url, headers: toPairs(headers), cookies, userAgent, device };
  return livePages.open({ ...page, lifetimeMs: RECORDER_MS }, signal);
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
