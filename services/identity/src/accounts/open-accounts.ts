import type { Logger } from '@tidemark/service';
import type { AccountParts } from './account-parts.ts';
import { makeAuthenticateSession } from './authenticate-session.ts';
import { type CheckPasskey, makeCheckCode } from './check-code.ts';
import { makeDeleteWorkspace } from './delete-workspace.ts';
import { makeLogIn } from './log-in.ts';
import { makeAcceptInvite, makeCreateInvite, makeReadInvite, makeRevokeInvite } from './manage-invites.ts';
import { makeRemoveMember, makeUpdateMember } from './manage-members.ts';
import { makeEndSessions, makeListSessions, makeLogOut, makeSwitchWorkspace } from './manage-sessions.ts';
import { makeResetToken, makeSetupToken } from './operator-tokens.ts';
import { makeRecordRefusal } from './record-refusal.ts';
import { makeChangePassword, makeCheckOwnPassword, makeRequestReset, makeResetPassword } from './reset-password.ts';
import { makeSignUp } from './sign-up.ts';
import { makeUpdateProfile } from './update-profile.ts';
import { makeUpdateWorkspace } from './update-workspace.ts';
import { makeVerifyCode } from './verify-code.ts';
import { makeRequestVerification, makeVerifyEmail } from './verify-email.ts';
import { makeViewSession } from './view-session.ts';

export type Accounts = ReturnType<typeof openAccounts>;

/** Builds the use cases of accounts. */
export function openAccounts(
  parts: AccountParts,
  { log, checkPasskey }: { readonly log: Logger; readonly checkPasskey: CheckPasskey },
) {
  const checkCode = makeCheckCode(parts);
  const recordRefusal = makeRecordRefusal(parts, log);
  const checkOwnPassword = makeCheckOwnPassword(parts);
  return {
    authenticateSession: makeAuthenticateSession(parts),
    viewSession: makeViewSession(parts),
    signUp: makeSignUp(parts),
    logIn: makeLogIn(parts, { checkCode, recordRefusal }),
    logOut: makeLogOut(parts),
    switchWorkspace: makeSwitchWorkspace(parts),
    listSessions: makeListSessions(parts),
    endSessions: makeEndSessions(parts),
    requestVerification: makeRequestVerification(parts),
    verifyEmail: makeVerifyEmail(parts),
    requestReset: makeRequestReset(parts, log),
    resetPassword: makeResetPassword(parts),
    changePassword: makeChangePassword({ ...parts, checkOwnPassword }),
    updateProfile: makeUpdateProfile({ ...parts, checkOwnPassword }),
    verifyCode: makeVerifyCode(parts, { checkCode, checkPasskey, recordRefusal }),
    updateMember: makeUpdateMember(parts),
    removeMember: makeRemoveMember(parts),
    createInvite: makeCreateInvite(parts),
    revokeInvite: makeRevokeInvite(parts),
    readInvite: makeReadInvite(parts),
    acceptInvite: makeAcceptInvite(parts),
    updateWorkspace: makeUpdateWorkspace(parts),
    deleteWorkspace: makeDeleteWorkspace(parts),
    setupToken: makeSetupToken(parts),
    resetToken: makeResetToken(parts),
  };
}
