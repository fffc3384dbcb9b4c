import { Time } from '@tidemark/results';
import { z } from 'zod';

export const AuditEntry = z
  .object({
    id: z.string(),
    at: Time,
    action: z.string().describe('What was done, such as key.created'),
    keyId: z.string().nullable().describe('The key that did it; null: a person, the operator, a program or a service'),
    memberId: z
      .string()
      .nullable()
      .describe('The person who did it; null: a key, the operator, a program or a service'),
    actor: z
      .string()
      .describe(
        'Name of the key, person, program or service, or `operator`; empty for a key or person that does not exist any more',
      ),
    subjectId: z.string().nullable().describe('Id of what the action concerns'),
    detail: z.record(z.string(), z.unknown()).describe('What was changed; never a secret'),
    ip: z.string().nullable().describe('Address of the client, for sessions'),
    userAgent: z.string().nullable().describe('Program of the client, for sessions'),
  })
  .meta({ id: 'AuditEntry' });
export type AuditEntry = z.output<typeof AuditEntry>;
