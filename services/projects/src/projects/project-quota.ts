import type { Caller } from '@tidemark/contracts';
import { AppError } from '@tidemark/errors';
import type { ProjectStore } from '../store/project-store.ts';

/** The limit on projects of one workspace. */
export class ProjectQuota {
  readonly #projects: Pick<ProjectStore, 'count'>;
  readonly maxProjects: number;

  constructor(projects: Pick<ProjectStore, 'count'>, maxProjects: number) {
    this.#projects = projects;
    this.maxProjects = maxProjects;
  }

  /** Returns the number of projects that the caller may still create. @throws AppError forbidden */
  async remaining(caller: Caller): Promise<number> {
    if (caller.access.kind === 'only') {
      throw new AppError('forbidden', 'this key is for some projects only, and can’t make others');
    }
    return this.maxProjects - (await this.#projects.count(caller.workspaceId));
  }

  /** @throws AppError forbidden, plan_limit if the caller may not create a project */
  async check(caller: Caller): Promise<void> {
    if ((await this.remaining(caller)) > 0) return;
    throw new AppError('plan_limit', `a workspace holds at most ${this.maxProjects} projects; delete some`);
  }
}
