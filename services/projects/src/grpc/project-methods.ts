import {
  ProjectsServiceService as Rpc,
  type DueRun as WireDueRun,
  type LastRun as WireLastRun,
  type Project as WireProject,
} from '@tidemark/contracts/projects/v1/projects';
import { type BoundMethod, callerOf, handle } from '@tidemark/service';
import type { Batch, BatchOrder } from '../batch-desk.ts';
import { type Masking, maskConfig, parseConfig } from '../domain/config-values.ts';
import type { DueRun, LastRun, Project, ProjectSummary } from '../domain/project.ts';
import type { Listed, ListWish } from '../list-projects.ts';
import type { ProjectDesk } from '../project-desk.ts';
import type { Asked } from '../run-starter.ts';
import type { Idempotency } from '../store/project-writer.ts';
import { askedBy } from './asked-by.ts';

const CREATE = 'POST /projects';
const CREATE_BATCH = 'POST /projects/batch';

export interface ProjectsFace {
  readonly desk: ProjectDesk;
  readonly createBatch: (asked: Asked, order: BatchOrder) => Promise<Batch>;
  readonly list: (caller: Asked['caller'], wish: ListWish) => Promise<Listed>;
  readonly toWire: ToWire;
}

const keyOf = (route: string, key: string, requestHash: string): Idempotency | undefined =>
  key === '' ? undefined : { route, key, requestHash };

const toLastRun = (last: LastRun): WireLastRun => ({ ...last, counts: { ...last.counts } });
const toDueRun = (due: DueRun): WireDueRun => ({ ...due });

/** A project as it is told, with its config where it has one. */
export type ToWire = (project: ProjectSummary | Project) => WireProject;

export const makeToWire =
  (masking: Masking): ToWire =>
  (project) => {
    const { id, seed, name, schedule, timezone, retentionDays, configVersion, createdAt, updatedAt, health } = project;
    const kept = { id, seed, name, schedule, timezone, retentionDays, configVersion, createdAt, updatedAt, health };
    return {
      ...kept,
      configJson: 'config' in project ? JSON.stringify(maskConfig(project.config, masking)) : '',
      healthSince: project.healthSince,
      lastRun: project.lastRun === undefined ? undefined : toLastRun(project.lastRun),
      nextDueAt: project.nextDue,
      lastDue: project.lastDue === undefined ? undefined : toDueRun(project.lastDue),
    };
  };

/** The face of projects: proto in, use case, proto out. */
export function projectMethods({ desk, createBatch, list, toWire }: ProjectsFace): BoundMethod[] {
  return [
    handle(Rpc.createProject, async ({ seed, name, keeping, configJson, idempotencyKey, requestHash }, ctx) => {
      const idempotency = keyOf(CREATE, idempotencyKey, requestHash);
      const order = { seed, name, keeping, config: parseConfig(configJson), idempotency };
      const { project, replayed } = await desk.create(askedBy(ctx), order);
      return { project: toWire(project), replayed };
    }),
    handle(Rpc.createProjects, async ({ seeds, templateProjectId: templateId, keys, keeping }, ctx) => {
      const wanted = seeds.map(({ url, name, idempotencyKey, requestHash }) => ({
        url,
        name,
        idempotency: keyOf(CREATE_BATCH, idempotencyKey, requestHash),
      }));
      const { projects, refused } = await createBatch(askedBy(ctx), { seeds: wanted, templateId, keys, keeping });
      return { projects: projects.map(toWire), refused: refused.map((one) => ({ ...one })) };
    }),
    handle(Rpc.getProject, async ({ id }, ctx) => ({ project: toWire(await desk.get(callerOf(ctx), id)) })),
    handle(Rpc.listProjects, async (wish, ctx) => {
      const { projects, next } = await list(callerOf(ctx), wish);
      return { projects: projects.map(toWire), next };
    }),
    handle(Rpc.updateProject, async ({ id, name, keeping, configJson }, ctx) => {
      const order = { name, keeping, config: parseConfig(configJson) };
      return { project: toWire(await desk.update(askedBy(ctx), id, order)) };
    }),
    handle(Rpc.deleteProject, async ({ id }, ctx) => {
      await desk.delete(callerOf(ctx), id);
      return {};
    }),
    handle(Rpc.applyConfig, async ({ id, projectIds, keys }, ctx) => ({
      applied: await desk.apply(callerOf(ctx), id, projectIds, keys),
    })),
  ];
}
