import type pg from 'pg';
import type { AccountMails } from '../mail/account-mails.ts';
import type { Passwords } from '../proofs/passwords.ts';
import { AttemptCounter } from '../store/attempt-counter.ts';
import { InviteStore } from '../store/invite-store.ts';
import { MemberStore } from '../store/member-store.ts';
import type { SendEvents } from '../store/send-events.ts';
import { SessionStore } from '../store/session-store.ts';
import { TokenStore } from '../store/token-store.ts';
import { UserStore } from '../store/user-store.ts';
import { WorkspaceStore } from '../store/workspace-store.ts';
import type { AccountSettings } from './account-settings.ts';
import { type DeleteWorkspace, makeDeleteWorkspace } from './delete-workspace.ts';
import {
  type AcceptInvite,
  type CreateInvite,
  makeAcceptInvite,
  makeCreateInvite,
  makeReadInvite,
  makeRevokeInvite,
  type ReadInvite,
  type RevokeInvite,
} from './manage-invites.ts';
import { makeRemoveMember, makeUpdateMember, type RemoveMember, type UpdateMember } from './manage-members.ts';
import { makeResetToken, makeSetupToken, type ResetToken, type SetupToken } from './operator-tokens.ts';
import { makeUpdateWorkspace, type UpdateWorkspace } from './update-workspace.ts';

/** The use cases of members, invitations and workspaces, and those of the operator. */
export interface Members {
  readonly updateMember: UpdateMember;
  readonly removeMember: RemoveMember;
  readonly createInvite: CreateInvite;
  readonly revokeInvite: RevokeInvite;
  readonly readInvite: ReadInvite;
  readonly acceptInvite: AcceptInvite;
  readonly updateWorkspace: UpdateWorkspace;
  readonly deleteWorkspace: DeleteWorkspace;
  readonly setupToken: SetupToken;
  readonly resetToken: ResetToken;
}

/** Makes the use cases of members, invitations and workspaces, with their stores. */
export function makeMembers({
  pool,
  passwords,
  mails,
  settings,
  send,
  now,
}: {
  readonly pool: pg.Pool;
  readonly passwords: Passwords;
  readonly mails: AccountMails;
  readonly settings: AccountSettings;
  readonly send: SendEvents;
  readonly now: () => Date;
}): Members {
  const users = new UserStore(pool);
  const sessions = new SessionStore(pool);
  const tokens = new TokenStore(pool);
  const members = new MemberStore(pool);
  const invites = new InviteStore(pool);
  const workspaces = new WorkspaceStore(pool);
  const attempts = new AttemptCounter(pool);
  return {
    updateMember: makeUpdateMember({ pool, members, send }),
    removeMember: makeRemoveMember({ pool, members, send }),
    createInvite: makeCreateInvite({ pool, users, members, invites, workspaces, attempts, mails }),
    revokeInvite: makeRevokeInvite({ pool, members, invites }),
    readInvite: makeReadInvite({ invites }),
    acceptInvite: makeAcceptInvite({ pool, users, sessions, members, invites, attempts, passwords, settings }),
    updateWorkspace: makeUpdateWorkspace({ pool, users, members, workspaces }),
    deleteWorkspace: makeDeleteWorkspace({ pool, members, workspaces, send, now }),
    setupToken: makeSetupToken({ pool, tokens, members }),
    resetToken: makeResetToken({ pool, users, tokens }),
  };
}
