import { z } from 'zod';
import { nothing, route } from '../route.ts';
import { ApiKey, CreatedApiKey, NewApiKey } from '../schemas/api-key.ts';
import { ChildDetail, ChildList, ChildPatch, ChildResponse, NewChild } from '../schemas/child.ts';
import { Cursor, limit, listOf } from '../schemas/parts.ts';

const around = { tag: 'Sub-accounts', query: nothing, params: nothing, body: nothing, reach: 'workspace' } as const;
const child = z.string().describe('The sub-account, such as ws_01j…');
const ofChild = z.strictObject({ child_id: child });
const list = z.strictObject({ cursor: Cursor, limit: limit(100, 1_000) });

export const childRoutes = {
  listChildren: route({
    ...around,
    id: 'listChildren',
    method: 'get',
    path: '/orgs/children',
    scope: 'read',
    summary: 'Sub-accounts with this month’s spend and what each may still spend, and how many the plan allows',
    query: list,
    responses: { 200: ChildList },
  }),
  createChild: route({
    ...around,
    id: 'createChild',
    refusals: {
      plan_limit: 'The plan allows no more sub-accounts.',
      forbidden: 'The workspace is a sub-account itself.',
    },
    method: 'post',
    path: '/orgs/children',
    scope: 'admin',
    idempotent: true,
    summary: 'Create a sub-account: a workspace of its own that spends the credits of this one',
    description:
      'It is on the plan of its parent and has no credits of its own. Keys made for it reach only that workspace; keys of the parent act in it with the header `x-service-tenant`.',
    body: NewChild,
    responses: { 201: ChildResponse },
    example: { name: 'Harbour Ltd', cap: 5_000 },
  }),
  getChild: route({
    ...around,
    id: 'getChild',
    method: 'get',
    path: '/orgs/children/{child_id}',
    scope: 'read',
    summary: 'A sub-account: its month by kind, its latest charges, and which keys of the parent acted in it',
    params: ofChild,
    responses: { 200: ChildDetail },
  }),
  patchChild: route({
    ...around,
    id: 'patchChild',
    method: 'patch',
    path: '/orgs/children/{child_id}',
    scope: 'admin',
    summary: 'Rename a sub-account, set its monthly cap, suspend it or lift the suspension',
    description:
      'A suspension refuses its keys within five seconds and cancels its running work; work that has ended is charged. Lifting one restarts nothing. A cap below what was spent this month allows nothing more.',
    params: ofChild,
    body: ChildPatch,
    responses: { 200: ChildResponse },
    example: { suspended: true },
  }),
  listChildKeys: route({
    ...around,
    id: 'listChildKeys',
    method: 'get',
    path: '/orgs/children/{child_id}/keys',
    scope: 'admin',
    summary: 'API keys of a sub-account, without secrets',
    params: ofChild,
    query: list,
    responses: { 200: listOf(ApiKey) },
  }),
  createChildKey: route({
    ...around,
    id: 'createChildKey',
    refusals: {
      forbidden: 'The new key would exceed the key that creates it.',
      conflict: 'The sub-account has 1,000 keys that are not revoked.',
    },
    method: 'post',
    path: '/orgs/children/{child_id}/keys',
    scope: 'admin',
    session: { freshCode: true },
    summary: 'Create an API key that reaches only the sub-account; the secret is returned only in this response',
    description: '`projects` are projects of the sub-account.',
    params: ofChild,
    body: NewApiKey,
    responses: { 201: CreatedApiKey },
    example: { name: 'harbour', scopes: ['write'] },
  }),
  revokeChildKey: route({
    ...around,
    id: 'revokeChildKey',
    method: 'delete',
    path: '/orgs/children/{child_id}/keys/{key_id}',
    scope: 'admin',
    session: { freshCode: true },
    summary: 'Revoke a key of a sub-account; it stops working within five seconds',
    params: z.strictObject({ child_id: child, key_id: z.string().describe('The key, such as key_01j…') }),
    responses: { 204: undefined },
  }),
} as const;
