import { z } from 'zod';
import { nothing, route } from '../route.ts';
import {
  Email,
  Invite,
  InviteView,
  LinkToken,
  MEMBER_ROLES,
  Member,
  Members,
  Password,
  PersonName,
  Session,
} from '../schemas/account.ts';
import { nameText } from '../schemas/parts.ts';
import { BillingDetails } from '../schemas/payments.ts';

const around = { tag: 'Members', query: nothing, params: nothing } as const;
const Role = z.enum(MEMBER_ROLES);
const isAdminRole = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && Reflect.get(body, 'role') === 'admin';

export const memberRoutes = {
  listMembers: route({
    ...around,
    id: 'listMembers',
    method: 'get',
    path: '/auth/members',
    scope: 'admin',
    reach: 'workspace',
    summary: 'Members of the workspace and open invitations',
    body: nothing,
    responses: { 200: Members },
  }),
  patchMember: route({
    ...around,
    id: 'patchMember',
    refusals: {
      forbidden: 'The role of the caller does not reach that far.',
      conflict: 'The member is the last owner.',
    },
    method: 'patch',
    path: '/auth/members/{user}',
    scope: 'admin',
    reach: 'workspace',
    session: { freshCode: true },
    summary: 'Change the role of a member',
    description: 'Only an owner makes or unmakes an owner. The last owner stays one: 409.',
    params: z.strictObject({ user: z.string().describe('The member, such as usr_01j…') }),
    body: z.strictObject({ role: Role }).meta({ id: 'MemberPatch' }),
    responses: { 200: Member },
    example: { role: 'viewer' },
  }),
  removeMember: route({
    ...around,
    id: 'removeMember',
    refusals: {
      forbidden: 'The role of the caller does not reach that far.',
      conflict: 'The member is the last owner.',
    },
    method: 'delete',
    path: '/auth/members/{user}',
    scope: 'read',
    reach: 'workspace',
    session: { freshCode: true, allows: ['no_factor'] },
    summary: 'Remove a member, or leave the workspace',
    description:
      'To remove others requires the role admin, to remove an owner the role owner. The last owner stays: 409.',
    params: z.strictObject({ user: z.string().describe('The member, such as usr_01j…') }),
    query: z.strictObject({
      revoke_keys: z
        .enum(['true', 'false'])
        .default('false')
        .describe('Also revoke the API keys that the member created, and those that these keys created'),
    }),
    body: nothing,
    responses: { 204: undefined },
  }),
  createInvite: route({
    ...around,
    id: 'createInvite',
    refusals: { conflict: 'The address is a member already.' },
    method: 'post',
    path: '/auth/invites',
    scope: 'admin',
    reach: 'workspace',
    session: { freshCode: isAdminRole },
    summary: 'Invite an address; at most 50 a day',
    description:
      'Replaces an open invitation of the address. The role owner can not be invited. It ends with the key or the role of its maker. A key ' +
      'with an expiry or a rate limit of its own can not invite: a membership has neither.',
    body: z
      .strictObject({ email: Email, role: Role.exclude(['owner']).describe('What the person may do') })
      .meta({ id: 'NewInvite' }),
    responses: { 201: Invite },
    example: { email: 'bob@example.com', role: 'member' },
  }),
  revokeInvite: route({
    ...around,
    id: 'revokeInvite',
    method: 'delete',
    path: '/auth/invites/{id}',
    scope: 'admin',
    reach: 'workspace',
    summary: 'Revoke an open invitation',
    params: z.strictObject({ id: z.string().describe('The invitation, such as ivt_01j…') }),
    body: nothing,
    responses: { 204: undefined },
  }),
  readInvite: route({
    ...around,
    id: 'readInvite',
    method: 'get',
    path: '/auth/invites/{id}',
    scope: 'public',
    summary: 'What an invitation offers',
    params: z.strictObject({ id: z.string().describe('The token of the link, not an id such as ivt_01j…') }),
    body: nothing,
    responses: { 200: InviteView },
  }),
  acceptInvite: route({
    ...around,
    id: 'acceptInvite',
    refusals: {
      unauthorized: 'The address has an account; sign in first.',
      forbidden: 'The session is of another address.',
      not_found: 'The link is invalid, used, revoked or expired.',
      conflict: 'The workspace has 1,000 members.',
    },
    method: 'post',
    path: '/auth/invites/accept',
    scope: 'public',
    summary: 'Accept an invitation, signed in with its address or with a new account',
    description:
      'Without an account for the address `name` and `password` are required. With one: sign in first, else 401. Signed in with another address: 403.',
    body: z
      .strictObject({ token: LinkToken, name: PersonName.optional(), password: Password.optional() })
      .meta({ id: 'AcceptInvite' }),
    responses: { 200: Session },
    example: { token: 'abc', name: 'Bob', password: 'four random words here' },
  }),
  deleteWorkspace: route({
    ...around,
    id: 'deleteWorkspace',
    refusals: { forbidden: 'The caller is no owner; no key is one.' },
    method: 'delete',
    path: '/auth/workspace',
    scope: 'admin',
    reach: 'workspace',
    session: { freshCode: true },
    summary: 'Delete the workspace with its sub-accounts and all of their data',
    description:
      'For an owner. Running work is cancelled and keys are refused within five seconds; projects, pages, records, deliveries, connections, usage and the audit log are deleted within minutes, backups of the operator excepted. Members keep their accounts. This can not be undone. With `x-service-tenant` an owner of the parent deletes one sub-account.',
    query: z.strictObject({ name: z.string().max(200).describe('Name of the workspace, as a confirmation') }),
    body: nothing,
    responses: { 204: undefined },
  }),
  patchWorkspace: route({
    ...around,
    id: 'patchWorkspace',
    method: 'patch',
    path: '/auth/workspace',
    scope: 'admin',
    reach: 'workspace',
    summary: 'Rename the workspace, or set its billing details',
    description:
      'The billing details decide the tax, and are copied into the invoices after the change. A sub-account has none (409).',
    body: z
      .strictObject({ name: nameText(100).min(1).optional(), billing_details: BillingDetails.optional() })
      .meta({ id: 'WorkspaceChange' }),
    responses: {
      200: z
        .object({
          id: z.string(),
          name: z.string(),
          creditsUsed: z.int(),
          request_id: z.string(),
          billingDetails: BillingDetails.nullable().describe('As set; null: the request did not set them'),
        })
        .meta({ id: 'ChangedWorkspace' }),
    },
    example: { name: 'Harbour' },
  }),
} as const;
