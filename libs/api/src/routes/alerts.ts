import { MAX_ALERT_CHARS } from '@tidemark/project-config';
import { Time } from '@tidemark/results';
import { z } from 'zod';
import { nothing, route } from '../route.ts';
import { Change } from '../schemas/change.ts';

export const alertRoutes = {
  previewAlert: route({
    tag: 'Alerts',
    id: 'previewAlert',
    method: 'post',
    path: '/projects/{id}/alerts/preview',
    scope: 'read',
    summary: 'Evaluate an alert rule over the stored changes',
    description:
      'Returns what the rule would have matched in all stored records of the project, without saving it. A rule matches a change that makes its condition true: the condition holds for the change, and did not hold for the page before it. At most the newest 20,000 changes are evaluated; `cut` states whether older ones are stored. A condition that does not parse, or names an unknown field, is refused with 422 and its line and column.',
    params: z.strictObject({ id: z.string().describe('The project, such as prj_01j…') }),
    query: nothing,
    body: z
      .strictObject({
        when: z.string().min(1).max(MAX_ALERT_CHARS).describe('A CEL expression over a change'),
        initial: z.boolean().default(false).describe('As in a rule'),
        cooldown_minutes: z.int().min(0).max(43_200).default(1_440).describe('As in a rule'),
        limit: z.int().min(1).max(100).default(25).describe('Number of matches to return, the newest, 1 to 100'),
      })
      .meta({ id: 'AlertPreviewRequest' }),
    responses: {
      200: z
        .object({
          matches: z
            .array(
              z.object({
                change: Change,
                madeAt: Time.describe('When the record of the change was made'),
                sent: z.boolean().describe('false: within the cooldown of an earlier match of the page'),
              }),
            )
            .describe('Newest first'),
          matched: z.int().describe('All matches'),
          sent: z.int().describe('Matches outside of the cooldown of an earlier one'),
          dismissed: z.int().describe('Matches whose changes are reviewed'),
          records: z.int().describe('Records with changes that were evaluated'),
          changes: z.int().describe('Changes that were evaluated'),
          since: Time.nullable().describe('When the oldest of these records was made; null: there is none'),
          cut: z.boolean().describe('Older changes are stored and were not evaluated'),
          failed: z
            .int()
            .describe(
              'Changes for which the condition could not be evaluated, as where it compares a missing price; they do not match',
            ),
          failure: z.string().nullable().describe('The first reason; null: none'),
          creditsUsed: z.int(),
          request_id: z.string(),
        })
        .meta({ id: 'AlertPreview' }),
    },
    example: { when: 'mentions(entry.text_added, "recall")' },
  }),
} as const;
