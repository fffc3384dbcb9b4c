import type { Caller } from '@tidemark/contracts';
import type pg from 'pg';
import type { Health, Project, ProjectSummary } from '../domain/project.ts';
import type { PrismaClient } from '../generated/prisma/client.ts';
import { type DueRecord, type Seals, toProject, toSummary } from './project-record.ts';

/** What a caller may see: its workspace's projects, and where its key is for some of them, those alone. */
export type Reach = Pick<Caller, 'workspaceId' | 'projects'>;

export interface ProjectFilter {
  readonly health: Health | undefined;
  /** Projects from before this one; empty: from the newest. */
  readonly before: string;
  readonly limit: number;
}

const SUMMARY = {
  id: true,
  workspaceId: true,
  seed: true,
  name: true,
  schedule: true,
  timezone: true,
  retentionDays: true,
  configVersion: true,
  nextDue: true,
  health: true,
  lastRun: true,
  healthSince: true,
  createdAt: true,
  updatedAt: true,
} as const;

/** Projects as the callers that may see them see them. Every query is scoped: what is not theirs is not there. */
export class ProjectStore {
  readonly #pool: pg.Pool;
  readonly #db: PrismaClient;
  readonly #seals: Seals;

  constructor(pool: pg.Pool, db: PrismaClient, seals: Seals) {
    this.#pool = pool;
    this.#db = db;
    this.#seals = seals;
  }

  async findEarlier(workspaceId: string, route: string, key: string) {
    return this.#db.idempotencyKey.findUnique({
      where: { workspaceId_route_key: { workspaceId, route, key } },
      select: { projectId: true, requestHash: true },
    });
  }

  count(workspaceId: string): Promise<number> {
    return this.#db.project.count({ where: { workspaceId } });
  }

  async find(reach: Reach, id: string): Promise<Project | undefined> {
    const [project] = await this.findAll(reach, [id]);
    return project;
  }

  /** Those of these projects that the caller may see, in no order. */
  async findAll(reach: Reach, ids: readonly string[]): Promise<Project[]> {
    const rows = await this.#db.project.findMany({
      where: { AND: [scopeOf(reach), { id: { in: [...ids] } }] },
      select: { ...SUMMARY, config: true, secrets: true },
    });
    const dues = await this.#duesOf(rows);
    return rows.map((row) => toProject(row, dues.get(row.id), this.#seals));
  }

  /** A project without its config. */
  async findSummary(reach: Reach, id: string): Promise<ProjectSummary | undefined> {
    const row = await this.#db.project.findFirst({ where: { AND: [scopeOf(reach), { id }] }, select: SUMMARY });
    if (row === null) return undefined;
    return toSummary(row, (await this.#duesOf([row])).get(id));
  }

  /** The versions of their configs. */
  async versions(reach: Reach, ids: readonly string[]): Promise<Map<string, number>> {
    const rows = await this.#db.project.findMany({
      where: { AND: [scopeOf(reach), { id: { in: [...ids] } }] },
      select: { id: true, configVersion: true },
    });
    return new Map(rows.map(({ id, configVersion }) => [id, configVersion]));
  }

  async isThere(reach: Reach, id: string): Promise<boolean> {
    return (await this.#db.project.count({ where: { AND: [scopeOf(reach), { id }] } })) > 0;
  }

  /** Newest first, without their config. */
  async list(reach: Reach, { health, before, limit }: ProjectFilter): Promise<ProjectSummary[]> {
    const rows = await this.#db.project.findMany({
      where: {
        AND: [scopeOf(reach), health === undefined ? {} : { health }, before === '' ? {} : { id: { lt: before } }],
      },
      select: SUMMARY,
      orderBy: { id: 'desc' },
      take: limit,
    });
    const dues = await this.#duesOf(rows);
    return rows.map((row) => toSummary(row, dues.get(row.id)));
  }

  /** What became of the last due run of each, looked up one by one: a project may have had thousands. */
  async #duesOf(rows: readonly { readonly id: string }[]): Promise<Map<string, DueRecord>> {
    const { rows: dues } = await this.#pool.query<DueRecord>({
      name: 'last-dues',
      text: `
        SELECT d.project_id, d.due_at, d.status, d.why, d.run_id, d.missed FROM unnest($1::text[]) AS p(id)
        CROSS JOIN LATERAL (SELECT * FROM due_runs WHERE project_id = p.id ORDER BY due_at DESC LIMIT 1) d`,
      values: [rows.map(({ id }) => id)],
    });
    return new Map(dues.map((due) => [due.project_id, due]));
  }
}

const scopeOf = ({ workspaceId, projects }: Reach) => ({
  workspaceId,
  ...(projects.length === 0 ? {} : { id: { in: [...projects] } }),
});
