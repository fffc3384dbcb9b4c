import { Time } from '@tidemark/results';
import { z } from 'zod';
import { nameText } from './parts.ts';

const Scope = z.enum(['read', 'write', 'admin']);

export const ApiKey = z
  .object({
    id: z.string(),
    name: z.string(),
    scopes: z.array(Scope),
    projects: z.array(z.string()).describe('Projects visible to the key; empty for all'),
    rpm: z.int().nullable(),
    lastFour: z.string().describe('Last four characters of the secret'),
    createdAt: Time,
    createdBy: z.string().nullable().describe('The person or key that created it: usr_… or key_…; null: the operator'),
    expiresAt: Time.nullable(),
    lastUsedAt: Time.nullable(),
  })
  .meta({ id: 'ApiKey' });

export const NewApiKey = z
  .strictObject({
    name: nameText(100).min(1).describe('Purpose of the key, for people'),
    scopes: z.array(Scope).min(1).max(3).default(['read']),
    projects: z
      .array(z.string().regex(/^prj_[0-9a-z]{26}$/, 'expected a project id, such as prj_01j…'))
      .max(1_000)
      .default([])
      .describe('Ids of the projects that the key may use; none: all'),
    expires_in_days: z.int().min(1).max(3_650).optional().describe('Days until the key expires; by default never'),
    rpm: z.int().min(1).max(100_000).optional().describe('Requests per minute; by default those of the workspace'),
  })
  .meta({ id: 'NewApiKey' });

export const CreatedApiKey = ApiKey.extend({ secret: z.string(), creditsUsed: z.int(), request_id: z.string() }).meta({
  id: 'CreatedApiKey',
});
