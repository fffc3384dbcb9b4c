import type { Caller } from '@tidemark/contracts';
import { AppError } from '@tidemark/errors';
import { requireSameBody } from '@tidemark/jobs';
import type { Outgoing } from '@tidemark/service';
import type { CheckChange } from './checking/check-change.ts';
import {
  type ConfigValues,
  checkCopies,
  copyKeys,
  type Masking,
  mergeConfig,
  pickKeys,
  sameConfig,
} from './domain/config-values.ts';
import { asNew, DEFAULT_KEEPING, type NewProject, type Project, type ProjectSummary } from './domain/project.ts';
import { checkName, type KeepingWish, keepAs } from './keeping.ts';
import { type Admit, makeProject } from './new-project.ts';
import { notFound } from './not-found.ts';
import type { Asked } from './run-starter.ts';
import { dueAfter } from './schedule/due-times.ts';
import type { ProjectStore } from './store/project-store.ts';
import type { Change, Idempotency, Locked, ProjectWriter } from './store/project-writer.ts';

const MOST_TARGETS = 1_000;

export interface ProjectDeskDeps {
  readonly projects: ProjectStore;
  readonly writer: ProjectWriter;
  readonly masking: Masking;
  readonly admit: Admit;
  /** Refuses a config no run can be told by. @throws AppError validation */
  readonly checkConfig: (config: ConfigValues) => unknown;
  /** Refuses a change that names a login its caller may not see. @throws AppError validation */
  readonly checkLogin: (caller: Caller, change: ConfigValues) => Promise<void>;
  /** Refuses a change others would refuse later. @throws AppError validation */
  readonly checkChange: CheckChange;
  /** Sends facts whose rows are committed. */
  readonly tell: (facts: readonly Outgoing[]) => void;
  /** Projects one workspace may hold. */
  readonly mostProjects: number;
  readonly now: () => Date;
}

export interface CreateOrder {
  readonly seed: string;
  readonly name: string;
  readonly keeping: KeepingWish | undefined;
  readonly config: ConfigValues;
  readonly idempotency: Idempotency | undefined;
}

export interface UpdateOrder {
  readonly name: string | undefined;
  readonly keeping: KeepingWish | undefined;
  readonly config: ConfigValues;
}

export interface Applied {
  readonly projectId: string;
  readonly configVersion: number;
  readonly changed: boolean;
}

/** Makes, changes and deletes projects, one at a time. */
export class ProjectDesk {
  readonly #deps: ProjectDeskDeps;

  constructor(deps: ProjectDeskDeps) {
    this.#deps = deps;
  }

  /** @throws AppError validation, forbidden, conflict, plan_limit */
  async create(asked: Asked, order: CreateOrder): Promise<{ project: Project; replayed: boolean }> {
    const { admit, checkConfig, checkLogin, checkChange, masking, now } = this.#deps;
    const { caller } = asked;
    const replay = await this.replayOf(caller, order.idempotency);
    if (replay !== undefined) return { project: await this.get(caller, replay.id), replayed: true };
    await this.checkRoom(caller);
    const at = now();
    const keeping = keepAs(order.keeping, DEFAULT_KEEPING, at);
    const config = mergeConfig({}, order.config, masking);
    checkConfig(config);
    await checkLogin(caller, order.config);
    const { workspaceId } = caller;
    const project = await makeProject({ workspaceId, seed: order.seed, name: order.name, keeping, config }, admit, at);
    await checkChange(asked, { seed: project.seed, change: config });
    const written = await this.write(caller, project, order.idempotency);
    return { project: await this.get(caller, written.id), replayed: written.id !== project.id };
  }

  /** Writes a project once, whoever asked first under its key. @throws AppError conflict */
  async write(caller: Caller, project: NewProject, idempotency: Idempotency | undefined): Promise<ProjectSummary> {
    if (await this.#deps.writer.create(project, idempotency)) return asNew(project);
    const earlier = await this.replayOf(caller, idempotency);
    if (earlier !== undefined) return earlier;
    throw new AppError('unavailable', 'an earlier request with this key is being undone; try again');
  }

  /** The project an earlier request with this key made. @throws AppError conflict, not_found where it was deleted since */
  async replayOf(caller: Caller, idempotency: Idempotency | undefined): Promise<ProjectSummary | undefined> {
    if (idempotency === undefined) return undefined;
    const { route, key, requestHash } = idempotency;
    const earlier = await this.#deps.projects.findEarlier(caller.workspaceId, route, key);
    if (earlier === null) return undefined;
    requireSameBody(earlier, requestHash);
    return this.#summary(caller, earlier.projectId);
  }

  /** @throws AppError forbidden, plan_limit where the caller may make no more projects */
  async checkRoom(caller: Caller): Promise<void> {
    if ((await this.roomFor(caller)) > 0) return;
    const { mostProjects } = this.#deps;
    throw new AppError('plan_limit', `a workspace holds at most ${mostProjects} projects; delete some`);
  }

  /** How many projects more the caller may make. @throws AppError forbidden */
  async roomFor(caller: Caller): Promise<number> {
    if (caller.projects.length > 0) {
      throw new AppError('forbidden', 'this key is for some projects only, and can’t make others');
    }
    const { projects, mostProjects } = this.#deps;
    return mostProjects - (await projects.count(caller.workspaceId));
  }

  /** @throws AppError not_found */
  async get(caller: Caller, id: string): Promise<Project> {
    const project = await this.#deps.projects.find(caller, id);
    if (project === undefined) throw notFound();
    return project;
  }

  async #summary(caller: Caller, id: string): Promise<ProjectSummary> {
    const project = await this.#deps.projects.findSummary(caller, id);
    if (project === undefined) throw notFound();
    return project;
  }

  /** @throws AppError not_found, validation, too_large */
  async update(asked: Asked, id: string, order: UpdateOrder): Promise<Project> {
    const { writer, checkLogin, checkChange, now } = this.#deps;
    const { caller } = asked;
    const at = now();
    const { seed } = await this.#summary(caller, id);
    await checkLogin(caller, order.config);
    await checkChange(asked, { seed, change: order.config });
    if (!(await writer.change(caller, [id], at, (project) => this.#changed(project, order, at)))) throw notFound();
    return this.get(caller, id);
  }

  /** What the order makes of a project; undefined where it is so already. */
  #changed(project: Locked, order: UpdateOrder, at: Date): Change | undefined {
    const { masking, checkConfig } = this.#deps;
    const keeping = keepAs(order.keeping, project, at);
    const config = mergeConfig(project.config, order.config, masking);
    const isSame = sameConfig(config, project.config);
    if (!isSame) checkConfig(config);
    const isDueAnew = keeping.schedule !== project.schedule || keeping.timezone !== project.timezone;
    const name = order.name === undefined ? project.name : checkName(order.name);
    const isKept = !isDueAnew && keeping.retentionDays === project.retentionDays;
    if (isSame && isKept && name === project.name) return undefined;
    return {
      ...keeping,
      name,
      nextDue: isDueAnew ? dueAfter(keeping, project.id, at) : project.nextDue,
      config: isSame ? undefined : config,
    };
  }

  /** @throws AppError not_found */
  async delete(caller: Caller, id: string): Promise<void> {
    const told = await this.#deps.writer.delete(caller, id);
    if (told === undefined) throw notFound();
    this.#deps.tell([told]);
  }

  /** Copies saved settings onto other projects: all of them, or none where one is not found. @throws AppError not_found, validation, too_large */
  async apply(caller: Caller, id: string, targets: readonly string[], keys: readonly string[]): Promise<Applied[]> {
    const { projects, writer, checkConfig, now } = this.#deps;
    const ids = [...new Set(targets)];
    if (ids.length > MOST_TARGETS) throw new AppError('validation', `project_ids: at most ${MOST_TARGETS}`);
    const { config: source } = await this.get(caller, id);
    checkCopies(pickKeys(source, keys), ids.length);
    const changed = new Set<string>();
    const copy = (project: Locked): Change | undefined => {
      const config = copyKeys(source, project.config, keys);
      if (sameConfig(config, project.config)) return undefined;
      checkConfig(config);
      changed.add(project.id);
      return { ...project, config };
    };
    if (!(await writer.change(caller, ids, now(), copy))) throw notFound();
    const versions = await projects.versions(caller, ids);
    return ids.map((projectId) => ({
      projectId,
      configVersion: versions.get(projectId) ?? 0,
      changed: changed.has(projectId),
    }));
  }
}
