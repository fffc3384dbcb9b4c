import type { routes } from '@tidemark/api';
import { DestinationSettings } from '@tidemark/contracts/export/v1/destinations';
import { ProjectsServiceService as ProjectsRpc } from '@tidemark/contracts/projects/v1/projects';
import { AppError } from '@tidemark/errors';
import type { CallContext, Peer } from '@tidemark/service';
import type { z } from 'zod';
import { checkedId } from '../../requests/checked-id.ts';
import { checkedProjectId } from '../../requests/checked-project.ts';

type Patch = z.output<(typeof routes.patchDestination)['body']>;

export const checkedDestinationId = (id: string): string => checkedId('dst', id, 'destination');

/** Converts the fields of a request. Absent ones stay unchanged. */
export function toSettings({
  connection_id: connectionId,
  projects,
  columns,
  shape,
  ...plain
}: Patch): DestinationSettings {
  return DestinationSettings.fromPartial({
    ...plain,
    ...(connectionId === undefined ? {} : { connectionId: checkedId('con', connectionId, 'connection') }),
    ...(projects === undefined ? {} : { projects: { values: projects } }),
    ...(columns === undefined ? {} : { columns: { values: columns } }),
    ...(shape === undefined ? {} : { shapeChange: shapeChangeOf(shape) }),
  });
}

const shapeChangeOf = (shape: NonNullable<Patch['shape']> | null): DestinationSettings['shapeChange'] =>
  shape === null ? { $case: 'noShape', value: true } : { $case: 'shapeJson', value: JSON.stringify(shape) };

/** Returns the id of a project that the caller may see. @throws AppError not_found */
export async function requireProject(projects: Peer, id: string, call: CallContext): Promise<string> {
  const projectId = checkedProjectId(id);
  await projects.call(ProjectsRpc.getProject, { id: projectId }, call);
  return projectId;
}

/** Requires that the caller may see the projects of a destination. @throws AppError validation naming the unknown ones */
export async function requireProjects(projects: Peer, ids: readonly string[], call: CallContext): Promise<void> {
  if (ids.length === 0) return;
  const { missing } = await projects.call(ProjectsRpc.listMissingProjects, { ids: [...ids] }, call);
  if (missing.length === 0) return;
  const message = `projects: there is no project ${missing.join(', ')}`;
  throw new AppError('validation', message, { detail: [{ loc: ['body', 'projects'], msg: message, type: 'unknown' }] });
}
