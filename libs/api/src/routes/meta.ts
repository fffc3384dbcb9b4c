import { z } from 'zod';
import { nothing, route } from '../route.ts';
import { Pack, Plan } from '../schemas/billing.ts';

const Meta = z
  .object({
    verdicts: z.record(z.string(), z.string()),
    errorCodes: z.array(z.string()),
    stopReasons: z.record(z.string(), z.string()).describe('Meaning of each stop reason of a job'),
    coverageReasons: z
      .record(z.string(), z.string())
      .describe('Meaning of each reason for which a change record is not a verdict on the whole site'),
    ladder: z
      .array(z.object({ tier: z.string(), exit: z.boolean(), credits: z.int(), says: z.string() }))
      .describe('Engines, cheapest first, with the cost of a page'),
    plans: z.record(z.string(), Plan).describe('Plans by id'),
    packs: z.array(Pack).describe('Credits that can be bought'),
    config: z.record(
      z.string(),
      z.object({
        group: z.string(),
        default: z.unknown(),
        says: z.string(),
        site: z.boolean().describe('Whether the value belongs to one site and is never copied to another project'),
        schema: z.record(z.string(), z.unknown()),
      }),
    ),
    alertTemplates: z
      .array(
        z.object({
          id: z.string(),
          parameters: z.array(z.object({ name: z.string(), type: z.enum(['number', 'text', 'field']) })),
          when: z.string().describe('The condition, with the names of its parameters in braces'),
        }),
      )
      .describe('Conditions of alert rules that are made from a few values')
      .meta({ example: [] }),
    formats: z.array(z.string()),
    userAgent: z.string(),
    freshCodeRoutes: z
      .array(
        z.object({ method: z.string(), path: z.string(), always: z.boolean().describe('false: for some bodies only') }),
      )
      .describe('Routes that require a code of the last ten minutes from people with a second factor: 403 mfa_stale'),
    featureRoutes: z
      .array(z.object({ method: z.string(), path: z.string(), feature: z.string() }))
      .describe('Routes that require a feature of the plan: 402 plan_limit without it'),
    creditsUsed: z.int(),
    request_id: z.string(),
  })
  .meta({ id: 'Meta' });

export const metaRoutes = {
  getMeta: route({
    id: 'getMeta',
    method: 'get',
    path: '/meta',
    tag: 'About',
    scope: 'public',
    summary: 'Verdict meanings, engine costs, configuration defaults and the ladder',
    params: nothing,
    query: nothing,
    body: nothing,
    responses: { 200: Meta },
  }),
} as const;
