import { Time } from '@tidemark/results';
import { z } from 'zod';
import { nothing, route } from '../route.ts';
import { AuditEntry } from '../schemas/audit.ts';
import { Cursor, limit, listOf } from '../schemas/parts.ts';

const filter = {
  action: z
    .string()
    .regex(/^([a-z_]+(\.[a-z_]+)?)?$/, 'expected an action such as key.created, or a group such as key')
    .max(60)
    .default('')
    .describe('An action such as key.created, or a group such as key'),
  actor: z
    .string()
    .regex(/^((key|usr)_[0-9a-z]{26})?$/, 'expected the id of a key or a person, such as key_01j…')
    .default('')
    .describe('The key or person, such as key_01j…'),
  from: Time.optional().describe('Entries from this time on'),
  to: Time.optional().describe('Entries before this time'),
};

const around = {
  tag: 'Audit log',
  method: 'get',
  scope: 'admin',
  reach: 'workspace',
  params: nothing,
  body: nothing,
} as const;

export const auditRoutes = {
  listAudit: route({
    feature: 'audit_log',
    ...around,
    id: 'listAudit',
    path: '/me/audit',
    summary: 'What keys and people did in the workspace, newest first',
    description:
      'Sign-ins, ended sessions, keys, members, invitations, settings, passwords, second factors, sub-accounts, plans and the cap of overage, projects and their configurations, saved logins, connections, destinations, webhook secrets and feeds. Refused sign-ins are recorded without an actor, at most 20 a day for a person and 200 for the workspace. Entries name what was changed, never a secret; they are kept for 400 days, or until the workspace is deleted. An entry of another service than the accounts appears within seconds.',
    query: z.strictObject({ ...filter, cursor: Cursor, limit: limit(100, 1_000) }),
    responses: { 200: listOf(AuditEntry) },
  }),
  exportAudit: route({
    feature: 'audit_log',
    ...around,
    id: 'exportAudit',
    path: '/me/audit/export',
    summary: 'The audit log as a file, newest first',
    description:
      'The file is streamed. A failure after its first byte breaks the connection: a transfer that ends normally is whole.',
    query: z.strictObject({
      ...filter,
      format: z
        .enum(['jsonl', 'csv'])
        .default('jsonl')
        .describe('jsonl: entries as in the list; csv: with the columns of the list, `detail` as JSON'),
    }),
    produces: 'application/octet-stream',
    responses: { 200: undefined },
  }),
} as const;
