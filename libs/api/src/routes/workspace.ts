import { Time } from '@tidemark/results';
import { z } from 'zod';
import { nothing, route } from '../route.ts';
import { MEMBER_ROLES } from '../schemas/account.ts';
import { ApiKey, CreatedApiKey, NewApiKey } from '../schemas/api-key.ts';
import { MonthTokens, SpendByKind, SpendLimits } from '../schemas/billing.ts';
import { Cursor, limit, listOf } from '../schemas/parts.ts';

const Scope = z.enum(['read', 'write', 'admin']);

const Workspace = z
  .object({
    id: z.string(),
    name: z.string(),
    plan: z.string(),
    createdAt: Time,
    settings: z.object({
      max_rpm: z.int().nullable().describe('Rate ceiling set by an admin, requests per minute'),
      require_second_factor: z.boolean().describe('Members need a second factor; API keys are not affected'),
    }),
    limits: z.object({ rpm: z.int().describe('Requests per minute of this key or person'), subAccounts: z.int() }),
    credits: z.object({
      remaining: z
        .int()
        .nullable()
        .describe(
          'Credits that may still be spent, including overage; null: no limit. Of a sub-account: what its cap leaves, whatever its payer has. ' +
            '`GET /me/billing` lists them by kind',
        ),
      reserved: z
        .int()
        .describe(
          'Reserved for work in progress. The charge of a page leaves it, and is part of the other two, within two seconds after the response with the page; until then it is reserved, so that new work can spend `remaining` less `reserved` at any time',
        ),
      usedThisMonth: z.int(),
    }),
    key: z
      .object({
        id: z.string(),
        name: z.string(),
        scopes: z.array(Scope),
        projects: z.array(z.string()),
        can: z.array(Scope).describe('All scopes the key includes'),
      })
      .nullable()
      .describe('The key of the request; null for a session'),
    member: z
      .object({
        id: z.string(),
        name: z.string(),
        email: z.string(),
        role: z.enum(MEMBER_ROLES),
        can: z.array(Scope).describe('All scopes of the role'),
      })
      .nullable()
      .describe('The signed-in person; null for a key'),
    creditsUsed: z.int(),
    request_id: z.string(),
  })
  .meta({ id: 'Workspace' });

const Usage = z
  .object({
    days: z.array(z.object({ day: z.string(), pages: z.int(), credits: z.int() })),
    month: z.object({
      pages: z.int(),
      credits: z.int(),
      byKind: z.array(SpendByKind),
      byKey: z
        .array(
          z.object({
            keyId: z.string().nullable(),
            memberId: z.string().nullable(),
            pages: z.int(),
            credits: z.int(),
          }),
        )
        .describe(
          'The keys and people that started the work, at most 100; both null: schedules. A key that is restricted to projects sees itself alone',
        ),
      byProject: z
        .array(z.object({ projectId: z.string().nullable(), pages: z.int(), credits: z.int() }))
        .describe(
          'At most 100 projects; null: work without a project. A key that is restricted to projects sees these alone',
        ),
      tokens: MonthTokens,
    }),
    limits: SpendLimits.describe(
      'What keys, people and projects may spend in a period. A key that is restricted to projects sees its own limit and those of its projects',
    ),
    creditsUsed: z.int(),
    request_id: z.string(),
  })
  .meta({ id: 'Usage' });

export const MONITOR_KINDS = ['scrape', 'batch', 'playground', 'crawl', 'recrawl', 'map'] as const;
export const MONITOR_STATUSES = ['queued', 'running', 'paused'] as const;
export const MONITOR_QUEUES = ['pages', 'maps'] as const;
/** Priority classes of queued pages, highest first. */
export const PRIORITIES = ['interactive', 'batch', 'run'] as const;

const Monitor = z
  .object({
    jobs: z
      .array(
        z.object({
          id: z.string(),
          kind: z.enum(MONITOR_KINDS),
          status: z.enum(MONITOR_STATUSES),
          url: z.string(),
          projectId: z.string().nullable(),
          worker: z.string().nullable().describe('Instance that holds the lease of the job'),
          createdAt: Time,
          done: z.int().describe('Pages or files that have ended'),
          total: z.int().describe('Pages or files known so far'),
        }),
      )
      .describe('Unfinished jobs, oldest first, at most 100 of each service'),
    total: z.int().describe('Number of unfinished jobs, including those not listed'),
    workers: z
      .array(z.object({ name: z.string(), jobs: z.int() }))
      .describe('Instances that hold listed jobs, with the number of these jobs'),
    queues: z
      .array(
        z.object({
          queue: z.enum(MONITOR_QUEUES),
          priority: z.enum(PRIORITIES),
          queued: z.int(),
          running: z.int(),
        }),
      )
      .describe('Depth of each queue for this workspace, highest priority first'),
    creditsUsed: z.int(),
    request_id: z.string(),
  })
  .meta({ id: 'Monitor' });
export type Monitor = z.output<typeof Monitor>;

const setsFactorRule = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && Reflect.get(body, 'require_second_factor') !== undefined;

export const workspaceRoutes = {
  getMe: route({
    id: 'getMe',
    method: 'get',
    path: '/me',
    tag: 'Workspace',
    scope: 'read',
    summary: 'The workspace: plan, limits, credits and the permissions of this key',
    params: nothing,
    query: nothing,
    body: nothing,
    responses: { 200: Workspace },
  }),
  patchMe: route({
    id: 'patchMe',
    refusals: { conflict: 'The owner has no second factor.' },
    method: 'patch',
    path: '/me',
    tag: 'Workspace',
    scope: 'admin',
    reach: 'workspace',
    session: { freshCode: (body) => setsFactorRule(body) },
    summary: 'Set the rate ceiling or the second-factor rule of the workspace',
    description:
      'The rule is set by an owner who has a second factor: 403 for others and for keys, 409 without a factor. An absent field is not changed.',
    params: nothing,
    query: nothing,
    body: z
      .strictObject({
        max_rpm: z
          .int()
          .min(1)
          .max(100_000)
          .nullable()
          .optional()
          .describe(
            'Requests per minute of each key; null for the limit of the plan, which also limits all keys together',
          ),
        require_second_factor: z.boolean().optional().describe('Members without a second factor get 403 mfa_required'),
      })
      .refine((body) => Object.keys(body).length > 0, 'expected max_rpm or require_second_factor')
      .meta({ id: 'WorkspacePatch' }),
    responses: { 200: Workspace },
    example: { max_rpm: 30 },
  }),
  getUsage: route({
    id: 'getUsage',
    method: 'get',
    path: '/me/usage',
    tag: 'Workspace',
    scope: 'read',
    summary: 'Pages and credits per day for 30 days and for the current month',
    description:
      'Pages and credits include those of sub-accounts, as does `usedThisMonth` of `GET /me`; `GET /orgs/children` lists each. What a deleted sub-account used remains, without a key and a project. Tokens and limits are those of the workspace alone.',
    params: nothing,
    query: nothing,
    body: nothing,
    responses: { 200: Usage },
  }),
  getMonitor: route({
    id: 'getMonitor',
    method: 'get',
    path: '/me/monitor',
    tag: 'Workspace',
    scope: 'read',
    summary: 'Queued and running work of the workspace, its workers, and the depth of each queue',
    params: nothing,
    query: nothing,
    body: nothing,
    responses: { 200: Monitor },
  }),
  listKeys: route({
    id: 'listKeys',
    method: 'get',
    path: '/me/keys',
    tag: 'API keys',
    scope: 'admin',
    reach: 'workspace',
    summary: 'API keys of the workspace, without secrets',
    params: nothing,
    query: z.strictObject({ cursor: Cursor, limit: limit(100, 1_000) }),
    body: nothing,
    responses: { 200: listOf(ApiKey) },
  }),
  createKey: route({
    id: 'createKey',
    refusals: {
      forbidden: 'The new key would exceed the key that creates it.',
      conflict: 'The workspace has 1,000 keys that are not revoked.',
    },
    method: 'post',
    path: '/me/keys',
    tag: 'API keys',
    scope: 'admin',
    reach: 'workspace',
    session: { freshCode: true },
    summary: 'Create an API key; the secret is returned only in this response',
    description:
      'A key cannot exceed the scope, expiry and rate limit of the key that creates it. A workspace has at most 1,000 keys that are not revoked.',
    params: nothing,
    query: nothing,
    body: NewApiKey,
    responses: {
      201: CreatedApiKey,
    },
    example: { name: 'reporting', scopes: ['read'] },
  }),
  revokeKey: route({
    id: 'revokeKey',
    method: 'delete',
    path: '/me/keys/{id}',
    tag: 'API keys',
    scope: 'admin',
    reach: 'workspace',
    session: { freshCode: true },
    summary: 'Revoke a key; it stops working within five seconds',
    params: z.strictObject({ id: z.string().describe('The key, such as key_01j…') }),
    query: nothing,
    body: nothing,
    responses: { 204: undefined },
  }),
} as const;
