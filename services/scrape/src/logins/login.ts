import { type Caller, pagesRead } from '@tidemark/contracts';
import type { RunFinished } from '@tidemark/contracts/crawl/v1/events';
import type { LoginProbe } from '@tidemark/contracts/scrape/v1/logins';
import { AppError } from '@tidemark/errors';
import type { LoginSite, Session } from './read-session.ts';

export const LOGIN_STATES = ['works', 'dead', 'unknown'] as const;
export type LoginState = (typeof LOGIN_STATES)[number];

/** State of a session, and the evidence for it. */
export interface LoginFinding {
  readonly state: LoginState;
  readonly reason: string;
}

/** A saved login as its owner sees it: without the session. */
export interface Login extends LoginFinding {
  readonly id: string;
  readonly site: string;
  readonly name: string;
  readonly savedBy: string;
  readonly savedAt: Date;
  readonly termsAcceptedAt: Date;
  readonly checkedAt: Date | undefined;
  readonly cookies: number;
  readonly expiresAt: Date | undefined;
}

export interface NewLogin extends LoginSite {
  readonly id: string;
  readonly workspaceId: string;
  readonly name: string;
  readonly savedBy: string;
  readonly at: Date;
  readonly session: Session;
}

/** The logins a caller may see. */
export interface LoginReach {
  readonly workspaceId: string;
  /** The only visible logins; undefined: all of the workspace. */
  readonly visibleIds: readonly string[] | undefined;
}

/** A key with a project allow-list sees only the logins that its projects name. */
export const reachOf = ({ workspaceId, access }: Caller, projectLoginIds: readonly string[]): LoginReach => ({
  workspaceId,
  visibleIds: access.kind === 'all' ? undefined : projectLoginIds,
});

/** The same error for a login that does not exist, that belongs to another workspace and that the key may not see. */
export const noLogin = (): AppError => new AppError('not_found', 'saved login not found');

const MAX_NAME_CHARS = 200;

/** @throws AppError validation */
export function checkName(name: string): string {
  if (name.length <= MAX_NAME_CHARS) return name;
  throw new AppError('validation', `name: at most ${MAX_NAME_CHARS} characters`);
}

/** Reason given for a session that was not used yet. */
export function untested({ expired }: Session): string {
  if (expired === 0) return 'not tested yet';
  return `not tested yet; ${expired} of the cookies had expired and ${expired === 1 ? 'was' : 'were'} left out`;
}

/** What one fetch of the site's front page shows about a session. */
export function findingOfProbe({
  answered,
  showsLogin,
  reason,
}: Pick<LoginProbe, 'answered' | 'showsLogin' | 'reason'>): LoginFinding {
  if (!answered) return { state: 'unknown', reason: reason === '' ? 'the site gave no response' : reason };
  if (showsLogin) return { state: 'dead', reason: reason === '' ? 'the site requires a sign-in' : reason };
  return { state: 'works', reason: reason === '' ? 'the site answered without a login page' : reason };
}

/** What the end of a run shows about the session it used; undefined: nothing. */
export function findingOfRun({
  runId,
  status,
  stop: wireStop,
  counts,
}: Pick<RunFinished, 'runId' | 'status' | 'stop' | 'counts'>): LoginFinding | undefined {
  const stop = wireStop;
  if (stop === 'login_dead') return { state: 'dead', reason: `the session was not signed in during run ${runId}` };
  if (status === 'cancelled' || status === 'error' || stop === 'site_down') return undefined;
  if (pagesRead(counts) === 0) return undefined;
  return { state: 'works', reason: `run ${runId} read pages with the session` };
}
