import { z } from 'zod';
import { type Masking, maskConfig } from '../domain/config-values.ts';
import { type NewProject, type Project, toCreated } from '../domain/project.ts';

const Stored = z.object({
  id: z.string(),
  workspaceId: z.string(),
  seed: z.string(),
  name: z.string(),
  /** Absent in responses of an earlier release. */
  reference: z.string().default(''),
  /** Absent in responses of an earlier release. */
  tags: z.array(z.string()).default([]),
  schedule: z.string(),
  timezone: z.string(),
  retentionDays: z.number(),
  config: z.record(z.string(), z.unknown()),
  nextDue: z.coerce.date().optional(),
  at: z.coerce.date(),
  requestId: z.string(),
});

/** The response to the request that created a project. */
export interface FirstResponse {
  /** The project as it was created; the secrets of its config are masked. */
  readonly project: Project;
  readonly requestId: string;
}

/** Returns what is stored with an idempotency key: the project as it is created, without its secrets. */
export const writeFirstResponse = (project: NewProject, requestId: string, masking: Masking): string =>
  JSON.stringify({ ...project, config: maskConfig(project.config, masking), requestId });

/** @throws ZodError if the stored value is invalid */
export function readFirstResponse(stored: unknown): FirstResponse {
  const { requestId, nextDue, ...project } = Stored.parse(stored);
  const { config } = project;
  return { project: { ...toCreated({ ...project, nextDue, createdBy: '' }), config }, requestId };
}
