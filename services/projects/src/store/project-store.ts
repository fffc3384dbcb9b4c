import { projectLimitOf } from '@tidemark/contracts';
import { type Params, sql } from '@tidemark/sql';
import type pg from 'pg';
import { noSuchProject } from '../domain/not-found.ts';
import type { Health, Project, ProjectSummary } from '../domain/project.ts';
import type { PrismaClient } from '../generated/prisma/client.ts';
import { DUE_COLUMNS, type DueRecord, type Seals, toProject, toSummary } from './project-record.ts';
import { schema } from './tables.ts';
import type { ProjectVisibility } from './visible-projects.ts';

export interface ProjectFilter {
  readonly health: Health | undefined;
  /** Only projects with this tag; undefined: all. */
  readonly tag: string | undefined;
  /** Projects older than this one; undefined: from the newest. */
  readonly before: string | undefined;
  readonly limit: number;
}

const SUMMARY = {
  id: true,
  workspaceId: true,
  seed: true,
  name: true,
  reference: true,
  tags: true,
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

/** Reads the newest due run of each project by index: a project may have thousands. */
const LAST_DUES = schema.prepareText(
  'last-dues',
  DUE_COLUMNS,
  ({ ids }: Params<{ readonly ids: readonly string[] }>) => sql`
    SELECT d.project_id, d.due_at, d.status, d.why, d.run_id, d.missed FROM unnest(${ids}::text[]) AS p(id)
    CROSS JOIN LATERAL (SELECT * FROM due_runs WHERE project_id = p.id ORDER BY due_at DESC LIMIT 1) d`,
);

/** Reads projects. Every query is limited to the projects the caller may see. */
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
      select: { projectId: true, requestHash: true, firstResponse: true },
    });
  }

  count(workspaceId: string): Promise<number> {
    return this.#db.project.count({ where: { workspaceId } });
  }

  async find(visible: ProjectVisibility, id: string): Promise<Project | undefined> {
    const [project] = await this.findAll(visible, [id]);
    return project;
  }

  /** Returns the projects of the list that the caller may see, in no order. */
  async findAll(visible: ProjectVisibility, ids: readonly string[]): Promise<Project[]> {
    const rows = await this.#db.project.findMany({
      where: { AND: [scopeOf(visible), { id: { in: [...ids] } }] },
      select: { ...SUMMARY, config: true, secrets: true },
    });
    const dues = await this.#duesOf(rows);
    return rows.map((row) => toProject(row, dues.get(row.id), this.#seals));
  }

  /** @throws AppError not_found */
  async get(visible: ProjectVisibility, id: string): Promise<Project> {
    const project = await this.find(visible, id);
    if (project === undefined) throw noSuchProject();
    return project;
  }

  /** @throws AppError not_found */
  async getSummary(visible: ProjectVisibility, id: string): Promise<ProjectSummary> {
    const project = await this.findSummary(visible, id);
    if (project === undefined) throw noSuchProject();
    return project;
  }

  async findSummary(visible: ProjectVisibility, id: string): Promise<ProjectSummary | undefined> {
    const row = await this.#db.project.findFirst({ where: { AND: [scopeOf(visible), { id }] }, select: SUMMARY });
    if (row === null) return undefined;
    return toSummary(row, (await this.#duesOf([row])).get(id));
  }

  /** Returns the config versions by project. */
  async versions(visible: ProjectVisibility, ids: readonly string[]): Promise<Map<string, number>> {
    const rows = await this.#db.project.findMany({
      where: { AND: [scopeOf(visible), { id: { in: [...ids] } }] },
      select: { id: true, configVersion: true },
    });
    return new Map(rows.map(({ id, configVersion }) => [id, configVersion]));
  }

  /** @throws AppError not_found */
  async check(visible: ProjectVisibility, id: string): Promise<void> {
    const found = await this.#db.project.count({ where: { AND: [scopeOf(visible), { id }] } });
    if (found === 0) throw noSuchProject();
  }

  /** Returns projects without their config, newest first. */
  async list(visible: ProjectVisibility, { health, tag, before, limit }: ProjectFilter): Promise<ProjectSummary[]> {
    const rows = await this.#db.project.findMany({
      where: {
        AND: [
          scopeOf(visible),
          health === undefined ? {} : { health },
          tag === undefined ? {} : { tags: { has: tag } },
          before === undefined ? {} : { id: { lt: before } },
        ],
      },
      select: SUMMARY,
      orderBy: { id: 'desc' },
      take: limit,
    });
    const dues = await this.#duesOf(rows);
    return rows.map((row) => toSummary(row, dues.get(row.id)));
  }

  /** Returns the newest due run of each project that has one. */
  async #duesOf(rows: readonly { readonly id: string }[]): Promise<Map<string, DueRecord>> {
    const dues = await LAST_DUES.rows(this.#pool, { ids: rows.map(({ id }) => id) });
    return new Map(dues.map((due) => [due.project_id, due]));
  }
}

function scopeOf({ workspaceId, access }: ProjectVisibility) {
  const projects = projectLimitOf(access);
  return projects === undefined ? { workspaceId } : { workspaceId, id: { in: [...projects] } };
}
