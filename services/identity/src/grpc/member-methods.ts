import { AccountServiceService as Rpc } from '@tidemark/contracts/identity/v1/accounts';
import { type BoundMethod, callerOf, handle } from '@tidemark/service';
import type { Members } from '../accounts/make-members.ts';
import { requireRole, roleOfCaller } from '../accounts/manage-members.ts';
import type { ViewSession } from '../accounts/view-session.ts';

import type { AuditLog } from '../store/audit-log.ts';
import type { InviteStore } from '../store/invite-store.ts';
import type { MemberRecord, MemberStore } from '../store/member-store.ts';

const toMember = ({ lastSeenAt, ...member }: MemberRecord) => ({ ...member, lastSeenAt: lastSeenAt ?? undefined });

interface Deps {
  readonly useCases: Members;
  readonly viewSession: ViewSession;
  readonly members: MemberStore;
  readonly invites: InviteStore;
  readonly audit: AuditLog;
}

/** Binds the methods of members and invitations, and those of the operator. */
export function memberMethods({ useCases, viewSession, members, invites, audit }: Deps): BoundMethod[] {
  return [
    handle(Rpc.listMembers, async (_, ctx) => {
      const caller = callerOf(ctx);
      requireRole(await roleOfCaller({ members }, caller), 'viewer', 'the list of members');
      const [all, open] = [await members.list(caller.workspaceId), await invites.list(caller.workspaceId)];
      return { members: all.map(toMember), invites: open };
    }),
    handle(Rpc.updateMember, async (request, ctx) => ({
      member: toMember(await useCases.updateMember(callerOf(ctx), request)),
    })),
    handle(Rpc.removeMember, async (request, ctx) => {
      await useCases.removeMember(callerOf(ctx), request);
      return {};
    }),
    handle(Rpc.createInvite, (request, ctx) => useCases.createInvite(callerOf(ctx), request)),
    handle(Rpc.revokeInvite, async ({ id }, ctx) => {
      await useCases.revokeInvite(callerOf(ctx), id);
      return {};
    }),
    handle(Rpc.readInvite, async ({ token }) => useCases.readInvite(token)),
    handle(Rpc.acceptInvite, async (request) => {
      const client = { ip: request.client?.ip ?? '', userAgent: request.client?.userAgent ?? '' };
      const { id, token } = await useCases.acceptInvite({ ...request, client });
      return { signedIn: { token, session: await viewSession(id) } };
    }),
    handle(Rpc.listAudit, async ({ cursor, limit, action, actorId, from, to }, ctx) => {
      const caller = callerOf(ctx);
      requireRole(await roleOfCaller({ members }, caller), 'admin', 'the audit log');
      const filter = { before: cursor, limit: limit + 1, action, actorId, from, to };
      const found = await audit.list(caller.workspaceId, filter);
      const page = found.slice(0, limit);
      const entries = page.map(({ detail, ...entry }) => ({ ...entry, detailJson: JSON.stringify(detail) }));
      return { entries, nextCursor: found.length > limit ? page.at(-1)?.id : undefined };
    }),
    handle(Rpc.deleteWorkspace, async ({ name }, ctx) => {
      await useCases.deleteWorkspace(callerOf(ctx), name);
      return {};
    }),
    handle(Rpc.makeSetupToken, async ({ workspaceId }) => ({ token: await useCases.setupToken(workspaceId) })),
    handle(Rpc.makeResetToken, async ({ email }) => ({ token: await useCases.resetToken(email) })),
  ];
}
