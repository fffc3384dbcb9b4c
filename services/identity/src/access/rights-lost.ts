import { highestScope, type Role, roleIncludes, scopeIncludes, scopeOfRole } from '@tidemark/contracts';
import type { Given, GivenInvite, GivenKey } from '../store/giver-store.ts';

/** How givers lose rights. `revokesKeys`: by default the keys of a removed member stay; access granted to applications never does. */
export type LossOfRights =
  | { readonly kind: 'keys_revoked'; readonly keyIds: readonly string[] }
  | { readonly kind: 'member_removed'; readonly userId: string; readonly revokesKeys: boolean }
  | { readonly kind: 'role_changed'; readonly userId: string; readonly role: Role };

/**
 * Returns the keys and invitations that end with a loss of rights, in ascending order: those that exceed the person who made them, those of keys
 * that end, and so on.
 */
export function rightsLost(
  { keys, invites }: Given,
  loss: LossOfRights,
): { readonly keyIds: readonly string[]; readonly inviteIds: readonly string[] } {
  const ended = new Set(loss.kind === 'keys_revoked' ? loss.keyIds : keys.filter(ofPerson(loss)).map(({ id }) => id));
  for (let before = -1; before !== ended.size; ) {
    before = ended.size;
    for (const { id, createdBy } of keys) if (ended.has(createdBy)) ended.add(id);
  }
  return {
    keyIds: keys
      .map(({ id }) => id)
      .filter((id) => ended.has(id))
      .sort(),
    inviteIds: invites
      .filter((invite) => ended.has(invite.invitedBy) || exceedsPerson(invite, loss))
      .map(({ id }) => id)
      .sort(),
  };
}

/** Returns whether a key of the person of a loss ends. */
const ofPerson =
  (loss: Exclude<LossOfRights, { kind: 'keys_revoked' }>) =>
  ({ createdBy, scopes, isGrant }: GivenKey): boolean => {
    if (createdBy !== loss.userId) return false;
    if (loss.kind === 'member_removed') return isGrant || loss.revokesKeys;
    return !scopeIncludes(scopeOfRole(loss.role), highestScope(scopes));
  };

/** Returns whether the person of a loss could not make this invitation any more. */
function exceedsPerson({ invitedBy, role }: GivenInvite, loss: LossOfRights): boolean {
  if (loss.kind === 'keys_revoked' || invitedBy !== loss.userId) return false;
  return loss.kind === 'member_removed' || !roleIncludes(loss.role, 'admin') || !roleIncludes(loss.role, role);
}
