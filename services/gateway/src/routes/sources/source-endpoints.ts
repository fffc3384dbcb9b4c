import { type FieldOf, routes } from '@tidemark/api';
import { ProjectsServiceService as Rpc } from '@tidemark/contracts/projects/v1/projects';
import type { Peer } from '@tidemark/service';
import { type Endpoint, endpoint } from '../../mount.ts';
import { namingPatterns } from '../named-patterns.ts';
import { toConfigJson } from '../projects/config-wish.ts';
import { checkedProjectId } from '../projects/project-endpoints.ts';
import { toDryRun, toSources, toSourcesPreview } from './source-answer.ts';

/** Hundreds of thousands of addresses are judged, and feeds are read now. */
const JUDGED_WITHIN_MS = 35_000;
const PREVIEW_WITHIN_MS = 60_000;

type Settings = Readonly<Record<string, unknown>>;

/** Unsaved changes, and where each was sent: a key by itself wins over the same within `config`. */
function readUnsaved({ config, ...scope }: Settings & { readonly config?: Settings | undefined }): {
  readonly settings: Settings;
  readonly fieldOf: FieldOf;
} {
  return {
    settings: { ...config, ...scope },
    fieldOf: (key) => (Object.hasOwn(scope, key) ? [key] : ['config', key]),
  };
}

/** Where a project's pages come from, and what changes of that would mean. */
export function sourceEndpoints(projects: Peer): Endpoint[] {
  return [
    endpoint(routes.dryRun, async ({ params, body, call, requestId }) => {
      const { settings, fieldOf } = readUnsaved(body);
      const asked = { projectId: checkedProjectId(params.id), configJson: toConfigJson(settings) };
      const { result } = await namingPatterns(fieldOf, () =>
        projects.call(Rpc.dryRun, asked, call, { deadlineMs: JUDGED_WITHIN_MS }),
      );
      return { status: 200, body: toDryRun(result, requestId) };
    }),

    endpoint(routes.getSources, async ({ params, call, requestId }) => {
      const asked = { projectId: checkedProjectId(params.id) };
      const told = await projects.call(Rpc.sources, asked, call, { deadlineMs: JUDGED_WITHIN_MS });
      return { status: 200, body: toSources(told, requestId) };
    }),

    endpoint(routes.previewSources, async ({ params, body, call, requestId }) => {
      const { settings, fieldOf } = readUnsaved(body);
      const asked = { projectId: checkedProjectId(params.id), configJson: toConfigJson(settings) };
      const { preview } = await namingPatterns(fieldOf, () =>
        projects.call(Rpc.previewSources, asked, call, { deadlineMs: PREVIEW_WITHIN_MS }),
      );
      return { status: 200, body: toSourcesPreview(preview, requestId) };
    }),
  ];
}
