import { checkedId } from './checked-id.ts';

/** Returns a project id. @throws AppError not_found if it is not well-formed */
export const checkedProjectId = (id: string): string => checkedId('prj', id, 'project');

interface ProjectSettings {
  readonly schedule?: string | undefined;
  readonly timezone?: string | undefined;
  readonly retention?: number | undefined;
}

/** Converts schedule and retention of a request to the shape that projects expects. */
export const toProjectSettings = ({ schedule, timezone, retention }: ProjectSettings) => ({
  schedule,
  timezone,
  retentionDays: retention,
});
