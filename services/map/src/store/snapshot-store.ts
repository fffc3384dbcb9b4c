import type { Job } from '../domain/job.ts';
import type { PrismaClient } from '../generated/prisma/client.ts';
import { toJob } from './job-record.ts';

/** Stored trees of sites: every map that read one. */
export class SnapshotStore {
  readonly #db: PrismaClient;

  constructor(db: PrismaClient) {
    this.#db = db;
  }

  /** The newest tree of a site, and the one before it; with `id`, that one and the one before it. */
  async newest(workspaceId: string, site: string, id: string): Promise<Job[]> {
    const records = await this.#db.job.findMany({
      where: {
        workspaceId,
        site,
        status: 'done',
        method: { in: ['sitemap', 'feed'] },
        ...(id === '' ? {} : { id: { lte: id } }),
      },
      orderBy: { id: 'desc' },
      take: 2,
    });
    return records.map(toJob);
  }

  /** A map of the site that is under way. */
  async running(workspaceId: string, site: string): Promise<string> {
    const found = await this.#db.job.findFirst({
      where: { workspaceId, site, status: 'running' },
      orderBy: { id: 'desc' },
      select: { id: true },
    });
    return found?.id ?? '';
  }
}
