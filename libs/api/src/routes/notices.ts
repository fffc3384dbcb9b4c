import { z } from 'zod';
import { nothing, route } from '../route.ts';
import { Notice } from '../schemas/notice.ts';
import { Cursor, limit, listOf } from '../schemas/parts.ts';

export const noticeRoutes = {
  listNotices: route({
    id: 'listNotices',
    method: 'get',
    path: '/me/notifications',
    tag: 'Workspace',
    scope: 'read',
    summary: 'Undismissed notifications of the signed-in member, newest first',
    description: 'Stored only while no mail host is configured. An API key has no inbox; its list is empty.',
    params: nothing,
    query: z.strictObject({ cursor: Cursor, limit: limit(100, 1_000) }),
    body: nothing,
    responses: { 200: listOf(Notice) },
  }),
  dismissNotice: route({
    id: 'dismissNotice',
    method: 'post',
    path: '/me/notifications/{notice_id}/seen',
    tag: 'Workspace',
    scope: 'read',
    summary: 'Dismiss a notification',
    description:
      'Every member dismisses their own notifications, a viewer included, for themselves alone. A notification of another member is not found. An API key has no notifications.',
    params: z.strictObject({ notice_id: z.string().describe('The notification, such as ntc_01j…') }),
    query: nothing,
    body: nothing,
    responses: { 204: undefined },
  }),
} as const;
