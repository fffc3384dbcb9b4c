import { ROLES, type Role, roleIncludes } from '@tidemark/contracts';
import { AppError } from '@tidemark/errors';
import { z } from 'zod';
import type { GivenMembership } from '../store/member-store.ts';

/** The role that a group of the sign-in provider has in a workspace. */
export interface GroupRole {
  readonly group: string;
  readonly workspaceId: string;
  readonly role: Role;
}

const MAX_GROUP_ROLES = 500;
/** Groups of a token that are read: providers leave out longer lists. */
const MAX_GROUPS = 1_000;

const GroupRoles = z
  .array(
    z.strictObject({
      group: z.string().min(1).max(300),
      workspace: z.string().regex(/^ws_[0-9a-z]{26}$/, 'expected the id of a workspace, ws_…'),
      // An owner is made by an owner only.
      role: z.enum(ROLES).exclude(['owner']),
    }),
  )
  .max(MAX_GROUP_ROLES);

/** Reads OIDC_GROUP_ROLES, a JSON list; an empty text is no list. @throws AppError validation that names what is wrong */
export function readGroupRoles(text: string): GroupRole[] {
  if (text === '') return [];
  const parsed = GroupRoles.safeParse(jsonOf(text));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new AppError(
      'validation',
      `OIDC_GROUP_ROLES: ${issue?.path.join('.')}: ${issue?.message}; expected a list such as [{"group":"eng","workspace":"ws_…","role":"member"}]`,
    );
  }
  return parsed.data.map(({ group, workspace, role }) => ({ group, workspaceId: workspace, role }));
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the texts of a claim that lists groups; a single text is one group. */
export function groupsOf(claim: unknown): string[] {
  const list = typeof claim === 'string' ? [claim] : Array.isArray(claim) ? claim : [];
  return list.filter((group) => typeof group === 'string').slice(0, MAX_GROUPS);
}

/** Returns the highest role that groups give in each workspace, by the id of the workspace. */
export function rolesGiven(rules: readonly GroupRole[], groups: readonly string[]): Map<string, GroupRole> {
  const own = new Set(groups);
  const given = new Map<string, GroupRole>();
  for (const rule of rules) {
    const known = given.get(rule.workspaceId);
    if (own.has(rule.group) && (known === undefined || !roleIncludes(known.role, rule.role)))
      given.set(rule.workspaceId, rule);
  }
  return given;
}

/** What groups change in one workspace. */
export type GroupChange =
  | { readonly kind: 'add' | 'change'; readonly workspaceId: string; readonly role: Role; readonly group: string }
  | { readonly kind: 'remove'; readonly workspaceId: string; readonly role: Role; readonly group: string };

/** Returns what the groups of a sign-in change in the memberships of a person. */
export function changesByGroups(
  memberships: readonly GivenMembership[],
  given: ReadonlyMap<string, GroupRole>,
): GroupChange[] {
  const known = new Set(memberships.map(({ workspaceId }) => workspaceId));
  const added = [...given.values()]
    .filter(({ workspaceId }) => !known.has(workspaceId))
    .map((rule): GroupChange => ({ kind: 'add', ...rule }));
  const changed = memberships.flatMap(({ workspaceId, role, fromGroup }): GroupChange[] => {
    if (fromGroup === null) return [];
    const rule = given.get(workspaceId);
    if (rule === undefined) return [{ kind: 'remove', workspaceId, role, group: fromGroup }];
    return rule.role === role && rule.group === fromGroup ? [] : [{ kind: 'change', ...rule }];
  });
  return [...changed, ...added];
}
