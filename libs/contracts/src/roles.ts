import type { Scope } from './caller.ts';

/** Roles of members in ascending order; each includes the ones before it. */
export const ROLES = ['viewer', 'member', 'admin', 'owner'] as const;
export type Role = (typeof ROLES)[number];

const SCOPE_OF_ROLE: Readonly<Record<Role, Scope>> = {
  viewer: 'read',
  member: 'write',
  admin: 'admin',
  // An owner also decides about the second factor, names owners and deletes the workspace. No key has these rights.
  owner: 'admin',
};

/** Returns the scope of a member with this role. */
export const scopeOfRole = (role: Role): Scope => SCOPE_OF_ROLE[role];

/** Returns whether the role `has` includes the rights of the role `needs`. */
export const roleIncludes = (has: Role, needs: Role): boolean => ROLES.indexOf(has) >= ROLES.indexOf(needs);

/** Returns whether a text is the name of a role. */
export const isRole = (text: string): text is Role => ROLES.some((role) => role === text);
