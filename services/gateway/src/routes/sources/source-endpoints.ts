import { routes } from '@tidemark/api';
import { ProjectsServiceService as Rpc } from '@tidemark/contracts/projects/v1/projects';
import type { FieldOf } from '@tidemark/project-config';
import { toConfigChange } from '@tidemark/project-config';
import type { Peer } from '@tidemark/service';
import { type Endpoint, endpoint } from '../../http/mount.ts';
import { checkedProjectId } from '../../requests/checked-project.ts';
import { withPatternNames } from '../../requests/pattern-names.ts';
import { makeCostEstimate } from '../../responses/cost-estimate.ts';
import { toDryRun, toSources, toSourcesPreview } from './source-response.ts';

/** Deadlines, ms: hundreds of thousands of URLs are evaluated; a preview of sources ends by itself after 15 s. */
const EVALUATE_DEADLINE_MS = 35_000;
const PREVIEW_DEADLINE_MS = 25_000;

type Settings = Readonly<Record<string, unknown>>;

/** Reads unsaved changes and their fields. A key at the top level takes precedence over the same key in `config`. */
function readUnsaved({ config, ...scope }: Settings & { readonly config?: Settings | undefined }): {
  readonly settings: Settings;
  readonly fieldOf: FieldOf;
} {
  return {
    settings: { ...config, ...scope },
    fieldOf: (key) => (Object.hasOwn(scope, key) ? [key] : ['config', key]),
  };
}

/** Endpoints of the sources of a project and of their previews. */
export function sourceEndpoints({ projects, billing }: { projects: Peer; billing: Peer }): Endpoint[] {
  const estimate = makeCostEstimate(billing);
  return [
    endpoint(routes.dryRun, async ({ params, body, call, requestId }) => {
      const { settings, fieldOf } = readUnsaved(body);
      const request = { projectId: checkedProjectId(params.id), change: toConfigChange(settings) };
      const { result } = await withPatternNames(fieldOf, () =>
        projects.call(Rpc.dryRun, request, call, { deadlineMs: EVALUATE_DEADLINE_MS }),
      );
      return { status: 200, body: toDryRun(result, await estimate(result?.estimatedCredits ?? 0, call), requestId) };
    }),

    endpoint(routes.getSources, async ({ params, call, requestId }) => {
      const request = { projectId: checkedProjectId(params.id) };
      const sources = await projects.call(Rpc.sources, request, call, { deadlineMs: EVALUATE_DEADLINE_MS });
      return { status: 200, body: toSources(sources, requestId) };
    }),

    endpoint(routes.previewSources, async ({ params, body, call, requestId }) => {
      const { settings, fieldOf } = readUnsaved(body);
      const request = { projectId: checkedProjectId(params.id), change: toConfigChange(settings) };
      const { preview } = await withPatternNames(fieldOf, () =>
        projects.call(Rpc.previewSources, request, call, { deadlineMs: PREVIEW_DEADLINE_MS }),
      );
      return {
        status: 200,
        body: toSourcesPreview(preview, await estimate(preview?.estimatedCredits ?? 0, call), requestId),
      };
    }),
  ];
}
