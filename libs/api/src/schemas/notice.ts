import { Time } from '@tidemark/results';
import { z } from 'zod';

export const NOTICE_KINDS = ['run', 'monitor', 'credits'] as const;

/** A notification of a member, stored when no mail host is configured. */
export const Notice = z
  .object({
    id: z.string(),
    kind: z.enum(NOTICE_KINDS),
    projectId: z.string().nullable(),
    runId: z.string().nullable(),
    title: z.string(),
    text: z.string(),
    createdAt: Time,
  })
  .meta({ id: 'Notice' });
export type Notice = z.output<typeof Notice>;
