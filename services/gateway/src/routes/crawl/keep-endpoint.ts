import { routes } from '@tidemark/api';
import { ProjectsServiceService as Rpc } from '@tidemark/contracts/projects/v1/projects';
import type { Peer } from '@tidemark/service';
import { type Endpoint, endpoint } from '../../http/mount.ts';
import { checkedCrawlId } from '../../queries/run-reader.ts';
import { toProjectSettings } from '../../requests/checked-project.ts';
import { toProject } from '../../responses/project.ts';
import { toRunSummary } from '../../responses/project-run.ts';

/** Endpoint that turns a crawl into a standing project. */
export function keepEndpoint(projects: Peer): Endpoint {
  return endpoint(routes.keepCrawl, async ({ params, body, baseUrl, call, requestId }) => {
    const request = { runId: checkedCrawlId(params.id), name: body.name ?? '', settings: toProjectSettings(body) };
    const { project, run } = await projects.call(Rpc.keepCrawl, request, call);
    const created = toProject(project, requestId);
    return {
      status: 201,
      body: { ...created, run: run === undefined ? null : toRunSummary(run) },
      headers: {
        location: `${baseUrl}/projects/${created.id}`,
      },
    };
  });
}
