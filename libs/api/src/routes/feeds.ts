import { Time } from '@tidemark/results';
import { z } from 'zod';
import { nothing, route } from '../route.ts';
import { limit, nameText, wholeList } from '../schemas/parts.ts';

const tag = 'Changes';
const ofProject = z.strictObject({ id: z.string().describe('The project, such as prj_01j…') });

const FeedLink = z
  .object({
    id: z.string(),
    name: z.string().nullable(),
    createdBy: z.string().describe('Id of the key or person that created it'),
    createdAt: Time,
  })
  .meta({ id: 'FeedLink' });
export type FeedLink = z.output<typeof FeedLink>;

const around = { creditsUsed: z.int(), request_id: z.string() };

export const feedRoutes = {
  createFeedLink: route({
    id: 'createFeedLink',
    refusals: { conflict: 'The project has 20 URLs already.' },
    method: 'post',
    path: '/projects/{id}/feeds',
    tag,
    scope: 'admin',
    summary: 'Create a URL at which feed readers open the changes of the project',
    description:
      'Feed readers send no API key. The URL contains a token that gives read access to the Atom feed of this project and to nothing else, until it is revoked. It is returned only once: treat it as a secret. A project has at most 20 URLs.',
    params: ofProject,
    query: nothing,
    body: z
      .strictObject({ name: nameText(100).optional().describe('Purpose of the URL, for example its reader') })
      .meta({
        id: 'FeedLinkRequest',
      }),
    responses: {
      201: FeedLink.extend({ url: z.url().describe('The URL; returned only once'), ...around }).meta({
        id: 'CreatedFeedLink',
      }),
    },
    example: { name: 'Team reader' },
  }),
  listFeedLinks: route({
    id: 'listFeedLinks',
    method: 'get',
    path: '/projects/{id}/feeds',
    tag,
    scope: 'read',
    summary: 'The feed URLs of a project, newest first',
    description: 'The URLs themselves are not returned.',
    params: ofProject,
    query: nothing,
    body: nothing,
    responses: { 200: z.object({ data: z.array(FeedLink), ...wholeList, ...around }).meta({ id: 'FeedLinks' }) },
  }),
  revokeFeedLink: route({
    id: 'revokeFeedLink',
    method: 'delete',
    path: '/projects/{id}/feeds/{feed}',
    tag,
    scope: 'admin',
    summary: 'Revoke a feed URL',
    description: 'The URL answers 404 from then on.',
    params: ofProject.extend({ feed: z.string().describe('The feed URL, such as fdl_01j…') }),
    query: nothing,
    body: nothing,
    responses: { 204: undefined },
  }),
  openFeed: route({
    id: 'openFeed',
    method: 'get',
    path: '/feeds/{token}/changes.atom',
    tag,
    scope: 'public',
    summary: 'The newest changes as an Atom feed, for feed readers',
    description:
      'Needs no API key: the token in the URL permits this feed alone. An unknown or revoked token gets 404. At most 60 requests per minute for one address. A request with `If-None-Match` gets 304 if the feed is unchanged.',
    params: z.strictObject({ token: z.string().max(200).describe('The token of the URL, such as feed_k7x2…') }),
    query: z.strictObject({ limit: limit(50, 200) }),
    body: nothing,
    responses: { 200: z.string() },
    produces: 'application/atom+xml',
  }),
} as const;
