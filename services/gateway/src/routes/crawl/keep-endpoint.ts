import { routes } from '@tidemark/api';
import { ProjectsServiceService as Rpc } from '@tidemark/contracts/projects/v1/projects';
import type { Peer } from '@tidemark/service';
import { type Endpoint, endpoint } from '../../mount.ts';
import { toProject } from '../projects/project-answer.ts';
import { toKeeping } from '../projects/project-endpoints.ts';
import { toRunSummary } from '../runs/run-answer.ts';
import { checkedCrawlId } from './run-reader.ts';

/** Makes a standing project of a crawl, its run in place. */
export function keepEndpoint(projects: Peer): Endpoint {
  return endpoint(routes.keepCrawl, async ({ params, body, baseUrl, call, requestId }) => {
    const asked = { runId: checkedCrawlId(params.id), name: body.name ?? '', settings: toKeeping(body) };
    const { project, run, replayed } = await projects.call(Rpc.keepCrawl, asked, call);
    const made = toProject(project, requestId);
    return {
      status: 201,
      body: { ...made, run: run === undefined ? null : toRunSummary(run) },
      headers: {
        location: `${baseUrl}/projects/${made.id}`,
        ...(replayed ? { 'idempotent-replayed': 'true' } : {}),
      },
    };
  });
}
