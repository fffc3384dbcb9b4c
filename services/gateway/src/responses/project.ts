import type { Project, ProjectSummary } from '@tidemark/api';
import type { DueRun, LastRun, Project as WireProject } from '@tidemark/contracts/projects/v1/projects';
import { AppError } from '@tidemark/errors';
import { fromConfigMessage } from '@tidemark/project-config';
import { timeOf } from './job-envelope.ts';

const toLastRun = ({ id, status, stop, error, finishedAt, pages, counts, creditsUsed }: LastRun) => ({
  id,
  status,
  stop: stop ?? null,
  error: error ?? null,
  finishedAt: timeOf(finishedAt),
  pages,
  counts,
  creditsUsed,
});

const toLastDue = ({ dueAt, status, why, runId, missed }: DueRun) => ({
  dueAt: timeOf(dueAt),
  status,
  why: why || null,
  runId: runId ?? null,
  missed,
});

/** Converts a project to an entry of a list. */
export function toProjectSummary(project: WireProject): ProjectSummary {
  return {
    id: project.id,
    seed: project.seed,
    name: project.name ?? null,
    reference: project.reference ?? null,
    tags: project.tags,
    schedule: project.schedule,
    timezone: project.timezone,
    retention: project.retentionDays,
    configVersion: project.configVersion,
    health: project.health,
    healthSince: project.healthSince === undefined ? null : timeOf(project.healthSince),
    lastRun: project.lastRun === undefined ? null : toLastRun(project.lastRun),
    nextRunAt: project.nextDueAt === undefined ? null : timeOf(project.nextDueAt),
    lastDue: project.lastDue === undefined ? null : toLastDue(project.lastDue),
    createdAt: timeOf(project.createdAt),
    updatedAt: timeOf(project.updatedAt),
  };
}

/** Converts a project with its configuration. */
export function toProject(project: WireProject | undefined, requestId: string): Project {
  if (project === undefined) throw new AppError('internal', 'projects answered without a project');
  return {
    ...toProjectSummary(project),
    config: fromConfigMessage(project.config),
    creditsUsed: 0,
    request_id: requestId,
  };
}
