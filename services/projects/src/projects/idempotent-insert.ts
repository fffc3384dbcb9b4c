import type { Caller } from '@tidemark/contracts';
import { AppError } from '@tidemark/errors';
import { requireSameBody } from '@tidemark/jobs';
import type { NewProject } from '../domain/project.ts';
import { type FirstResponse, readFirstResponse } from '../store/first-response.ts';
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
   * Returns the response to an earlier request with this key; undefined: none.
   * @throws AppError conflict if the earlier request had another body; not_found if the project was deleted since, or is not visible
   */
  async findReplay(caller: Caller, idempotency: Idempotency | undefined): Promise<FirstResponse | undefined> {
    if (idempotency === undefined) return undefined;
    const { route, key, requestHash } = idempotency;
    const earlier = await this.#projects.findEarlier(caller.workspaceId, route, key);
    if (earlier === null) return undefined;
    requireSameBody(earlier, requestHash);
    await this.#projects.check(caller, earlier.projectId);
    return readFirstResponse(earlier.firstResponse);
  }

  /**
   * Inserts a project, or returns the response to a concurrent request with the same key that inserted it.
   * @returns undefined if the project was inserted @throws AppError conflict
   */
  async insert(
    caller: Caller,
    project: NewProject,
    idempotency: Idempotency | undefined,
  ): Promise<FirstResponse | undefined> {
    if (await this.#writer.create(project, idempotency)) return undefined;
    const earlier = await this.findReplay(caller, idempotency);
    if (earlier !== undefined) return earlier;
    throw new AppError('unavailable', 'an earlier request with this key is being undone; try again');
  }
}
