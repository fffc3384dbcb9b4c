import { type ConfigVersion, routes } from '@tidemark/api';
import {
  ProjectsServiceService as Rpc,
  type ConfigVersion as WireVersion,
} from '@tidemark/contracts/projects/v1/projects';
import { AppError } from '@tidemark/errors';
import { fromConfigMessage } from '@tidemark/project-config';
import type { Peer } from '@tidemark/service';
import { type Endpoint, endpoint } from '../../http/mount.ts';
import { checkedProjectId } from '../../requests/checked-project.ts';
import { timeOf } from '../../responses/job-envelope.ts';
import { toProject } from '../../responses/project.ts';

const VERSION = /^[1-9]\d{0,8}$/;

const toVersion = ({ version, changedBy, changedAt, keys, restoredFrom, config }: WireVersion): ConfigVersion => ({
  version,
  changedBy,
  changedAt: timeOf(changedAt),
  keys: [...keys],
  restoredFrom: restoredFrom ?? null,
  config: fromConfigMessage(config),
});

/** Endpoints of the versions of a project's configuration. */
export function configVersionEndpoints(projects: Peer): Endpoint[] {
  return [
    endpoint(routes.listConfigVersions, async ({ params, query, baseUrl, call, requestId, cursors }) => {
      const { limit } = query;
      const projectId = checkedProjectId(params.id);
      const before = query.cursor === '' ? undefined : cursors.openNumber(query.cursor);
      const { versions, isMore } = await projects.call(Rpc.listConfigVersions, { projectId, before, limit }, call);
      const url = `${baseUrl}/projects/${projectId}/config/versions?limit=${limit}`;
      const nextPage = cursors.nextPage(url, isMore ? versions.at(-1)?.version : undefined);
      return {
        status: 200,
        body: { data: versions.map(toVersion), ...nextPage, creditsUsed: 0, request_id: requestId },
      };
    }),

    endpoint(routes.restoreConfigVersion, async ({ params, call, requestId }) => {
      const projectId = checkedProjectId(params.id);
      if (!VERSION.test(params.version)) throw new AppError('not_found', 'configuration version not found');
      const request = { projectId, version: Number(params.version) };
      const { project, notRestored } = await projects.call(Rpc.restoreConfigVersion, request, call);
      return { status: 200, body: { ...toProject(project, requestId), notRestored: [...notRestored] } };
    }),
  ];
}
