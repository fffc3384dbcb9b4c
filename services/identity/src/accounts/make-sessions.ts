import type { Logger } from '@tidemark/service';
import type pg from 'pg';
import type { AccountMails } from '../mail/account-mails.ts';
import type { Passwords } from '../proofs/passwords.ts';
import { AttemptCounter } from '../store/attempt-counter.ts';
import type { FactorStore } from '../store/factor-store.ts';
import { MemberStore } from '../store/member-store.ts';
import { SessionStore } from '../store/session-store.ts';
import { UserStore } from '../store/user-store.ts';
import { WorkspaceStore } from '../store/workspace-store.ts';
import { type AuthenticateSession, makeAuthenticateSession } from './authenticate-session.ts';
import { type CheckPasskey, makeCheckCode } from './check-code.ts';
import { type LogIn, makeLogIn } from './log-in.ts';
import {
  type EndSessions,
  type ListSessions,
  type LogOut,
  makeEndSessions,
  makeListSessions,
  makeLogOut,
  makeSwitchWorkspace,
  type SwitchWorkspace,
} from './manage-sessions.ts';
import { makeRecordRefusal } from './record-refusal.ts';
import { makeVerifyCode, type VerifyCode } from './verify-code.ts';
import { makeViewSession, type ViewSession } from './view-session.ts';

/** The use cases of sessions. */
export interface Sessions {
  readonly authenticateSession: AuthenticateSession;
  readonly viewSession: ViewSession;
  readonly logIn: LogIn;
  readonly logOut: LogOut;
  readonly switchWorkspace: SwitchWorkspace;
  readonly listSessions: ListSessions;
  readonly endSessions: EndSessions;
  readonly verifyCode: VerifyCode;
}

/** Makes the use cases of sessions with their stores. */
export function makeSessions({
  pool,
  factors,
  passwords,
  mails,
  checkPasskey,
  log,
  now,
}: {
  readonly pool: pg.Pool;
  readonly factors: FactorStore;
  readonly passwords: Passwords;
  readonly mails: AccountMails;
  readonly checkPasskey: CheckPasskey;
  readonly log: Logger;
  readonly now: () => Date;
}): Sessions {
  const users = new UserStore(pool);
  const sessions = new SessionStore(pool);
  const members = new MemberStore(pool);
  const workspaces = new WorkspaceStore(pool);
  const attempts = new AttemptCounter(pool);
  const checkCode = makeCheckCode({ pool, factors, attempts, mails, now });
  const recordRefusal = makeRecordRefusal({ pool, members, attempts, log });
  return {
    authenticateSession: makeAuthenticateSession({ users, sessions, workspaces, hasMails: mails.isOn }),
    viewSession: makeViewSession({ users, sessions, members, workspaces, hasMails: mails.isOn, now }),
    logIn: makeLogIn({ pool, users, sessions, attempts, passwords, mails, checkCode, recordRefusal }),
    logOut: makeLogOut({ pool, sessions }),
    switchWorkspace: makeSwitchWorkspace({ pool, sessions, members }),
    listSessions: makeListSessions({ sessions }),
    endSessions: makeEndSessions({ pool, sessions }),
    verifyCode: makeVerifyCode({ pool, users, sessions, factors, mails, checkCode, checkPasskey, recordRefusal }),
  };
}
