import { type BatchSeed, routes } from '@tidemark/api';
import { textOrEmpty } from '@tidemark/contracts';
import { ProjectsServiceService as Rpc, type UpdateProjectRequest } from '@tidemark/contracts/projects/v1/projects';
import { rejectMasks } from '@tidemark/project-config';
import type { CallContext, Peer } from '@tidemark/service';
import { hashOfBody } from '../../http/hash-of-body.ts';
import { type Endpoint, endpoint } from '../../http/mount.ts';
import { checkedProjectId, toProjectSettings } from '../../requests/checked-project.ts';
import { copyableKeys, toOptionalChange } from '../../requests/project-config.ts';
import { sentField, withWorkingScheme, withWorkingSchemes } from '../../requests/working-scheme.ts';
import { toProject, toProjectSummary } from '../../responses/project.ts';
import { toRunSummary } from '../../responses/project-run.ts';

export function projectEndpoints(projects: Peer, map: Peer): Endpoint[] {
  return [...listEndpoints(projects, map), ...ownEndpoints(projects, map), ...manyEndpoints(projects, map)];
}

function listEndpoints(projects: Peer, map: Peer): Endpoint[] {
  return [
    endpoint(routes.listProjects, async ({ query, baseUrl, call, requestId, cursors }) => {
      const { v, tag, limit } = query;
      const cursor = cursors.openId('prj', query.cursor);
      const size = limit === 0 ? undefined : limit;
      const request = { health: v, tag, limit: size, cursor, withConfig: false };
      const found = await projects.call(Rpc.listProjects, request, call);
      const tagged = tag === undefined ? '' : `&tag=${encodeURIComponent(tag)}`;
      const filters = `limit=${limit}${v === undefined ? '' : `&v=${v}`}${tagged}`;
      const nextPage = cursors.nextPage(`${baseUrl}/projects?${filters}`, found.next);
      const data = found.projects.map(toProjectSummary);
      return { status: 200, body: { data, ...nextPage, creditsUsed: 0, request_id: requestId } };
    }),

    endpoint(
      routes.createProject,
      async ({ body, baseUrl, call }, { sentBody, repetition: { idempotencyKey, bodyHash } }) => {
        rejectMasks(body.config, ['config']);
        const seed = await withWorkingScheme(map, { url: body.seed, sent: sentField(sentBody, 'seed') }, call);
        const { project, replayed, requestId } = await projects.call(
          Rpc.createProject,
          {
            seed,
            name: body.name,
            reference: body.reference ?? undefined,
            tags: body.tags ?? [],
            settings: toProjectSettings(body),
            config: toOptionalChange(body.config),
            idempotencyKey,
            requestHash: bodyHash,
          },
          call,
        );
        const created = toProject(project, requestId);
        const location = `${baseUrl}/projects/${created.id}`;
        return {
          status: 201,
          body: created,
          headers: { location, ...(replayed ? { 'idempotent-replayed': 'true' } : {}) },
        };
      },
    ),
  ];
}

function ownEndpoints(projects: Peer, map: Peer): Endpoint[] {
  return [
    endpoint(routes.getProject, async ({ params, call, requestId }) => {
      const { project } = await projects.call(Rpc.getProject, { id: checkedProjectId(params.id) }, call);
      return { status: 200, body: toProject(project, requestId) };
    }),

    endpoint(routes.patchProject, async ({ params, body, call, requestId }, { sentBody }) => {
      const { seed } = body;
      const change = {
        id: checkedProjectId(params.id),
        seed:
          seed === undefined
            ? undefined
            : await withWorkingScheme(map, { url: seed, sent: sentField(sentBody, 'seed') }, call),
        nameChange: nameChangeOf(body.name),
        referenceChange: referenceChangeOf(body.reference),
        tags: body.tags === undefined ? undefined : { tags: body.tags },
        settings: toProjectSettings(body),
        config: toOptionalChange(body.config),
      };
      const { project } = await projects.call(Rpc.updateProject, change, call);
      return { status: 200, body: toProject(project, requestId) };
    }),

    endpoint(routes.deleteProject, async ({ params, call }) => {
      await projects.call(Rpc.deleteProject, { id: checkedProjectId(params.id) }, call);
      return { status: 204 };
    }),
  ];
}

const nameChangeOf = (name: string | undefined): UpdateProjectRequest['nameChange'] => {
  if (name === undefined) return undefined;
  return name === '' ? { $case: 'noName', value: true } : { $case: 'name', value: name };
};

const referenceChangeOf = (reference: string | null | undefined): UpdateProjectRequest['referenceChange'] => {
  if (reference === undefined) return undefined;
  return reference === null ? { $case: 'noReference', value: true } : { $case: 'reference', value: reference };
};

/** Converts one item of a batch. The hash of its request covers what all items share, because it changes the project too. */
function toSeed(item: BatchSeed, shared: unknown) {
  if (typeof item === 'string') return { url: item, requestHash: '' };
  const { url, name = '', idempotency_key: idempotencyKey } = item;
  const requestHash = idempotencyKey === undefined ? '' : hashOfBody({ url, name, shared });
  return { url, name, idempotencyKey, requestHash };
}

/** Returns the URLs of a batch of seeds, with the scheme under which each responds. */
function seedUrls(map: Peer, seeds: readonly BatchSeed[], sentBody: unknown, call: CallContext): Promise<string[]> {
  const sent = sentField(sentBody, 'seeds');
  const given = seeds.map((seed, at) => {
    const one: unknown = Array.isArray(sent) ? sent[at] : undefined;
    return typeof seed === 'string' ? { url: seed, sent: one } : { url: seed.url, sent: sentField(one, 'url') };
  });
  return withWorkingSchemes(map, given, call);
}

/** Has exactly one of the two. */
interface RequestedRuns {
  readonly project_ids?: string[] | undefined;
  readonly tag?: string | undefined;
}

/** Starts runs of the listed projects, or of those with a tag. */
function startRuns(projects: Peer, { project_ids: projectIds = [], tag }: RequestedRuns, call: CallContext) {
  const trigger = 'api' as const;
  if (tag === undefined) return projects.call(Rpc.startRuns, { projectIds, trigger }, call);
  return projects.call(Rpc.startTaggedRuns, { tag, trigger }, call);
}

function manyEndpoints(projects: Peer, map: Peer): Endpoint[] {
  return [
    endpoint(routes.createProjects, async ({ body, call, requestId }, { sentBody }) => {
      const { seeds, ...shared } = body;
      const urls = await seedUrls(map, seeds, sentBody, call);
      const created = await projects.call(
        Rpc.createProjects,
        {
          seeds: seeds.map((seed, at) => ({ ...toSeed(seed, shared), url: urls[at] ?? '' })),
          templateProjectId: body.template_project_id ?? undefined,
          keys: copyableKeys(['all']),
          settings: toProjectSettings(body),
          tags: body.tags ?? [],
        },
        call,
      );
      const data = created.projects.map(toProjectSummary);
      const refused = created.refused.map(({ seed, code, why }) => ({ seed, code, reason: why }));
      return { status: 201, body: { data, refused, creditsUsed: 0, request_id: requestId } };
    }),

    endpoint(routes.applyConfig, async ({ params, body, call, requestId }) => {
      const copy = {
        id: checkedProjectId(params.id),
        projectIds: body.project_ids,
        keys: copyableKeys(body.groups),
      };
      const { applied } = await projects.call(Rpc.applyConfig, copy, call);
      const data = applied.map(({ projectId, configVersion, changed }) => ({ id: projectId, configVersion, changed }));
      return { status: 200, body: { data, creditsUsed: 0, request_id: requestId } };
    }),

    endpoint(routes.startRuns, async ({ body, call, requestId }) => {
      const { results } = await startRuns(projects, body, call);
      const data = results.map(({ projectId, run, code, why }) => ({
        projectId,
        run: run === undefined ? null : toRunSummary(run),
        code: code ?? null,
        error: why ?? null,
      }));
      const refused = results.flatMap(({ projectId, run, code, why }) =>
        run === undefined ? [{ projectId, code: code ?? 'internal', reason: textOrEmpty(why) }] : [],
      );
      return { status: 202, body: { data, refused, creditsUsed: 0, request_id: requestId } };
    }),
  ];
}
