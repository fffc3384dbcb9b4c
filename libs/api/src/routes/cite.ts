import { Time } from '@tidemark/results';
import { z } from 'zod';
import { nothing, route } from '../route.ts';
import { Moment, PageUrl } from '../schemas/parts.ts';

export const CITE_STATUSES = ['said', 'said_until', 'never_said'] as const;

export const citeRoutes = {
  verifyCite: route({
    tag: 'History',
    id: 'verifyCite',
    method: 'post',
    path: '/cite/verify',
    scope: 'read',
    summary: 'Verify whether a stored page contains a quote, or contained it at any time',
    description:
      'Compares the words of the quote, whatever their case and punctuation, with every stored version of the page `url`, or of all pages of the projects that the key may read. Nothing is fetched. `said`: the newest reading contains it; with `at`, the reading at that time did. `said_until`: an earlier reading contained it. `never_said`: no searched reading did; `complete` states whether all were searched.',
    params: nothing,
    query: nothing,
    body: z
      .strictObject({
        quote: z.string().trim().min(3).max(400).describe('The words, in their order'),
        url: PageUrl.optional().describe('Only this page, in any project that the key may read'),
        project_id: z.string().max(100).optional().describe('Only this project'),
        at: Moment.optional().describe('Whether a page contained it at this time'),
      })
      .meta({ id: 'CiteRequest' }),
    responses: {
      200: z
        .object({
          status: z.enum(CITE_STATUSES),
          url: z.string().nullable().describe('The page; null: none contained it'),
          title: z.string().nullable(),
          projectId: z.string().nullable(),
          runId: z.string().nullable().describe('The run of the first stored reading that contained it'),
          pageId: z.string().nullable().describe('That reading'),
          firstSeen: Time.nullable(),
          lastSeen: Time.nullable(),
          goneSeen: Time.nullable().describe('First later reading without it; null: the newest reading contains it'),
          excerpt: z.string().nullable().describe('The text around it'),
          versions: z.int().describe('Versions that were searched'),
          projects: z.int().describe('Projects that were searched'),
          withoutBody: z.int().describe('Of these versions those without a stored text; they are not searched'),
          complete: z
            .boolean()
            .describe(
              'Every stored version was searched; false: the time or the number of projects was exceeded, or readings were deleted by retention',
            ),
          creditsUsed: z.int(),
          request_id: z.string(),
        })
        .meta({ id: 'Cite' }),
    },
    example: { quote: 'The Team plan costs 24 € per month', url: 'https://example.com/pricing' },
  }),
} as const;
