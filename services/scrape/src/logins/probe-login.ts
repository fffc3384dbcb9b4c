import type { LoginProbe, SessionCookie } from '@tidemark/contracts/scrape/v1/logins';
import { FetchFailed, type HttpClient, type HttpResponse } from '@tidemark/egress';
import { AppError } from '@tidemark/errors';
import {
  acquirePermit,
  type HostLimiter,
  type HostReport,
  holdSeconds,
  type Pace,
  reportOfFailure,
  reportOfResponse,
  requestedWaitOf,
  whyHeld,
} from '@tidemark/host-pace';
import type { ReadTask } from '@tidemark/page-reader';
import { USUAL_CONTENT } from '@tidemark/page-reader';
import { retryAfterSeconds } from '@tidemark/web-url';
import { requiresSignIn } from '../domain/login.ts';
import { JobCookies } from '../engines/cookie-jar.ts';
import { ACCEPT, MAX_PAGE_BYTES } from '../engines/http-engine.ts';
import { liveCookies } from '../engines/login-cookies.ts';
import type { KeptReading } from '../reader/keep-bodies.ts';
import { Unreadable } from '../reader/read-pool.ts';

const PROBE_MS = 15_000;
/** Longest wait for a permit of the host, ms. */
const PERMIT_WAIT_MS = 10_000;
/** That of a single capture: a person waits. */
const PACE: Pace = { concurrency: 64, delayMs: 0 };
/** Error codes of pages that count as a response of the site. */
const PAGES: ReadonlySet<string> = new Set(['OK', 'SHELL', 'NOT_FOUND', 'LOGIN_REQUIRED']);

export interface ProbeLoginDeps {
  readonly http: HttpClient;
  readonly reader: { read(task: ReadTask): Promise<KeptReading> };
  readonly pace: HostLimiter;
  readonly now: () => Date;
}

export interface ProbeRequest {
  readonly url: string;
  readonly cookies: readonly SessionCookie[];
}

/** Fetches one page with a session's cookies and returns what it shows. Stores nothing. @throws AppError validation, unavailable */
export type ProbeLogin = (request: ProbeRequest, signal: AbortSignal) => Promise<LoginProbe>;

export function makeProbeLogin({ http, reader, pace, now }: ProbeLoginDeps): ProbeLogin {
  return async ({ url, cookies }, signal) => {
    if (!/^https?:/i.test(URL.parse(url)?.href ?? '')) throw new AppError('validation', 'url is no web URL');
    const blank = { answered: false, httpStatus: 0, showsLogin: false, landedUrl: url };
    const { host } = new URL(url);
    const ending = AbortSignal.any([signal, AbortSignal.timeout(PERMIT_WAIT_MS)]);
    const permit = await acquirePermit(pace, host, PACE, ending);
    if (permit === undefined) return { ...blank, reason: 'the host could not be requested in time' };
    let report: HostReport | undefined;
    try {
      const response = await http.fetch(url, {
        headers: ACCEPT,
        timeoutMs: PROBE_MS,
        maxBodyBytes: MAX_PAGE_BYTES,
        cookies: jarOf(liveCookies(cookies, now())),
        signal,
      });
      report = await holdAsRequested(pace, host, response);
      const seen = { ...blank, httpStatus: response.status, landedUrl: response.landedUrl };
      return { ...seen, ...(await classify(reader, url, response)) };
    } catch (error) {
      if (error instanceof FetchFailed) {
        report = reportOfFailure(error.kind, error.message);
        return { ...blank, reason: error.message };
      }
      if (signal.aborted) throw new AppError('unavailable', 'the probe was aborted');
      throw error;
    } finally {
      await permit.release(report);
    }
  };
}

function jarOf(cookies: readonly SessionCookie[]): JobCookies {
  const jar = new JobCookies();
  for (const cookie of cookies) jar.put(cookie);
  return jar;
}

/** Holds the host for the time that its response requests. @returns the report of the response for the host's pace */
async function holdAsRequested(
  pace: HostLimiter,
  host: string,
  { status, headers, redirects, latencyMs }: HttpResponse,
): Promise<HostReport> {
  const requestedWait = requestedWaitOf(status, retryAfterSeconds(headers));
  if (requestedWait !== undefined)
    await pace.hold(host, holdSeconds(requestedWait, 0) * 1_000, whyHeld(status, requestedWait));
  return reportOfResponse({ status, requestedWait, latencyMs: redirects.length === 0 ? latencyMs : undefined });
}

/** Classifies the response by the rules of page verdicts. */
async function classify(
  reader: ProbeLoginDeps['reader'],
  pageUrl: string,
  { body, headers, status, landedUrl }: HttpResponse,
): Promise<Pick<LoginProbe, 'answered' | 'showsLogin' | 'reason'>> {
  const contentType = headers['content-type'];
  const task: ReadTask = {
    body,
    contentType: Array.isArray(contentType) ? contentType[0] : contentType,
    status,
    headers,
    requestedUrl: pageUrl,
    landedUrl,
    rendered: false,
    minWords: 0,
    languages: [],
    content: USUAL_CONTENT,
    parseDocuments: false,
    formats: [],
    output: 'verdict',
  };
  try {
    const { classification } = await reader.read(task);
    const { errorCode, signals, reason } = classification;
    const showsLogin = requiresSignIn({ errorCode, httpStatus: status, signals });
    return { answered: PAGES.has(errorCode), showsLogin, reason: explain(errorCode, reason) };
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    return { answered: false, showsLogin: false, reason: error.message };
  }
}

const explain = (errorCode: string, reason: string): string =>
  errorCode === 'SHELL' ? `${reason}; it reads the same signed in or not, so a run is the real test` : reason;
