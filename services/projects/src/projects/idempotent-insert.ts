import type { Caller } from '@tidemark/contracts';
import { AppError } from '@tidemark/errors';
import { requireSameBody } from '@tidemark/jobs';
import { type NewProject, type ProjectSummary, toCreated } from '../domain/project.ts';
import type { ProjectStore } from '../store/project-store.ts';
import type { Idempotency, ProjectWriter } from '../store/project-writer.ts';

/** Inserts projects at most once per idempotency key. */
export class IdempotentInsert {
  readonly #projects: ProjectStore;
  readonly #writer: ProjectWriter;

  constructor(projects: ProjectStore, writer: ProjectWriter) {
    this.#projects = projects;
    this.#writer = writer;
  }

  /**
   * Returns the project that an earlier request with this key created; undefined: none.
   * @throws AppError conflict if the earlier request had another body; not_found if the project was deleted since
   */
  async findReplay(caller: Caller, idempotency: Idempotency | undefined): Promise<ProjectSummary | undefined> {
    if (idempotency === undefined) return undefined;
    const { route, key, requestHash } = idempotency;
    const earlier = await this.#projects.findEarlier(caller.workspaceId, route, key);
    if (earlier === null) return undefined;
    requireSameBody(earlier, requestHash);
    return this.#projects.getSummary(caller, earlier.projectId);
  }

  /** Inserts a project, or returns the one that a concurrent request with the same key inserted. @throws AppError conflict */
  async insert(caller: Caller, project: NewProject, idempotency: Idempotency | undefined): Promise<ProjectSummary> {
    if (await this.#writer.create(project, idempotency)) return toCreated(project);
    const earlier = await this.findReplay(caller, idempotency);
    if (earlier !== undefined) return earlier;
    throw new AppError('unavailable', 'an earlier request with this key is being undone; try again');
  }
}
