import { AppError } from '@tidemark/errors';
import { healthAfter } from './health.ts';
import type { LastRun } from './project.ts';
import type { LoginSite, Session } from './session-cookies.ts';

export const LOGIN_STATES = ['works', 'dead', 'unknown'] as const;
export type LoginState = (typeof LOGIN_STATES)[number];

/** How good a session is, and what that is known by. */
export interface LoginFinding {
  readonly state: LoginState;
  readonly reason: string;
}

/** A saved login as its owner sees it: the session is not among it. */
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
  /** Projects that name it, of those the asker may see. */
  readonly projectIds: readonly string[];
}

/** A login as it is to be written. */
export interface NewLogin extends LoginSite {
  readonly id: string;
  readonly workspaceId: string;
  readonly name: string;
  readonly savedBy: string;
  readonly at: Date;
  readonly session: Session;
}

/** The same for what is not there, another workspace's and what the key may not see. */
export const noLogin = (): AppError => new AppError('not_found', 'there is no such saved login');

/** What is known of a session that nobody has tried. */
export function untested({ expired }: Session): string {
  if (expired === 0) return 'not tested yet';
  return `not tested yet; ${expired} of the cookies had expired and ${expired === 1 ? 'was' : 'were'} left out`;
}

/** What a probe of the site's front page says of a session. */
export function findingOfProbe(probe: {
  readonly answered: boolean;
  readonly showsLogin: boolean;
  readonly reason: string;
}): LoginFinding {
  const { answered, showsLogin, reason } = probe;
  if (!answered) return { state: 'unknown', reason: reason === '' ? 'the site gave no answer' : reason };
  if (showsLogin) return { state: 'dead', reason: reason === '' ? 'the site asks to sign in' : reason };
  return { state: 'works', reason: reason === '' ? 'the site answered without asking to sign in' : reason };
}

/** What the end of a run says of the session it was fetched with; undefined where it says nothing. */
export function findingOfRun(run: Pick<LastRun, 'id' | 'status' | 'stop' | 'counts'>): LoginFinding | undefined {
  if (run.stop === 'login_dead') return { state: 'dead', reason: `run ${run.id} found nobody signed in` };
  if (healthAfter(run) !== 'ok') return undefined;
  return { state: 'works', reason: `run ${run.id} read its pages with it` };
}

/** The login a config names; undefined where it names none. */
export function loginOf({ login_id: id }: Readonly<Record<string, unknown>>): string | undefined {
  return typeof id === 'string' && id !== '' ? id : undefined;
}

/** A config names a login that is not there, and is refused by the key's name. */
export function loginGone(): AppError {
  const message = 'config.login_id: there is no such saved login, and a run never goes on signed out';
  return new AppError('validation', message, {
    httpStatus: 400,
    detail: [{ loc: ['body', 'config', 'login_id'], msg: message, type: 'not_found' }],
  });
}
