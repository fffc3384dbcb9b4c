import { textOrEmpty } from '@tidemark/contracts';
import { ProjectsServiceService as Rpc, type UpdateProjectRequest } from '@tidemark/contracts/projects/v1/projects';
import { fromConfigChange } from '@tidemark/project-config';
import { type BoundMethod, callerOf, handle } from '@tidemark/service';
import type { ProjectUseCases } from '../projects/make-projects.ts';
import type { Idempotency } from '../store/project-writer.ts';
import { contextOf } from './context-of.ts';
import type { ToWire } from './to-wire.ts';

const CREATE = 'POST /projects';
const CREATE_BATCH = 'POST /projects/batch';

const idempotencyOf = (key: string | undefined, of: Omit<Idempotency, 'key'>): Idempotency | undefined =>
  key === undefined ? undefined : { ...of, key };

/** Returns the text that a change sets: '' where it removes it, undefined where it is unchanged. */
const changedText = (change: UpdateProjectRequest['nameChange'] | UpdateProjectRequest['referenceChange']) =>
  typeof change?.value === 'boolean' ? '' : change?.value;

/** The RPCs of projects and their config. */
export function projectMethods(useCases: ProjectUseCases, toWire: ToWire): BoundMethod[] {
  return [
    handle(Rpc.createProject, async ({ idempotencyKey, requestHash, ...given }, ctx) => {
      const { seed, name, reference, tags, settings, config } = given;
      const context = contextOf(ctx);
      const { requestId } = context;
      const idempotency = idempotencyOf(idempotencyKey, { route: CREATE, requestHash, requestId });
      const request = {
        seed,
        name: textOrEmpty(name),
        reference: textOrEmpty(reference),
        tags,
        settings,
        config: fromConfigChange(config),
        idempotency,
      };
      const created = await useCases.createProject(context, request);
      return { ...created, project: toWire(created.project) };
    }),
    handle(Rpc.createProjects, async (request, ctx) => {
      const { templateProjectId: templateId, keys, settings, tags } = request;
      const context = contextOf(ctx);
      const { requestId } = context;
      const seeds = request.seeds.map(({ url, name, idempotencyKey, requestHash }) => ({
        url,
        name: textOrEmpty(name),
        idempotency: idempotencyOf(idempotencyKey, { route: CREATE_BATCH, requestHash, requestId }),
      }));
      const created = await useCases.createProjects(context, { seeds, templateId, keys, settings, tags });
      return { projects: created.projects.map(toWire), refused: created.refused.map((one) => ({ ...one })) };
    }),
    handle(Rpc.getProject, async ({ id }, ctx) => ({ project: toWire(await useCases.getProject(callerOf(ctx), id)) })),
    handle(Rpc.listProjects, async (request, ctx) => {
      const page = await useCases.listProjects(callerOf(ctx), request);
      return { projects: page.projects.map(toWire), next: page.next };
    }),
    handle(Rpc.listMissingProjects, async ({ ids }, ctx) => ({
      missing: await useCases.listMissing(callerOf(ctx), ids),
    })),
    handle(Rpc.updateProject, async ({ id, nameChange, referenceChange, tags, settings, config, seed }, ctx) => {
      const request = {
        name: changedText(nameChange),
        reference: changedText(referenceChange),
        tags: tags?.tags,
        seed,
        settings,
        config: fromConfigChange(config),
      };
      return { project: toWire(await useCases.updateProject(contextOf(ctx), id, request)) };
    }),
    handle(Rpc.saveVolatileOverride, async ({ projectId, ...request }, ctx) => ({
      project: toWire(await useCases.saveVolatileOverride(callerOf(ctx), projectId, request)),
    })),
    handle(Rpc.deleteProject, async ({ id }, ctx) => {
      await useCases.deleteProject(callerOf(ctx), id);
      return {};
    }),
    handle(Rpc.applyConfig, async ({ id: sourceId, projectIds: targetIds, keys }, ctx) => ({
      applied: await useCases.applyConfig(callerOf(ctx), { sourceId, targetIds, keys }),
    })),
  ];
}
