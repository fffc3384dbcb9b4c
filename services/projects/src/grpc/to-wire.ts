import type {
  DueRun as WireDueRun,
  LastRun as WireLastRun,
  Project as WireProject,
} from '@tidemark/contracts/projects/v1/projects';
import { toConfigMessage } from '@tidemark/project-config';
import { type Masking, maskConfig } from '../domain/config-values.ts';
import type { DueRun, LastRun, Project, ProjectSummary } from '../domain/project.ts';

const toLastRun = ({ stop, ...last }: LastRun): WireLastRun => ({
  ...last,
  stop,
  counts: { ...last.counts },
});
const toDueRun = (due: DueRun): WireDueRun => ({ ...due });

/** Converts a project to its message, with its masked config if it has one. */
export type ToWire = (project: ProjectSummary | Project) => WireProject;

export const makeToWire =
  (masking: Masking): ToWire =>
  (project) => {
    const {
      id,
      seed,
      name,
      reference,
      tags,
      schedule,
      timezone,
      retentionDays,
      configVersion,
      createdAt,
      updatedAt,
      health,
    } = project;
    return {
      id,
      seed,
      name,
      reference,
      tags: [...tags],
      schedule,
      timezone,
      retentionDays,
      configVersion,
      createdAt,
      updatedAt,
      health,
      config: 'config' in project ? toConfigMessage(maskConfig(project.config, masking)) : undefined,
      healthSince: project.healthSince,
      lastRun: project.lastRun === undefined ? undefined : toLastRun(project.lastRun),
      nextDueAt: project.nextDue,
      lastDue: project.lastDue === undefined ? undefined : toDueRun(project.lastDue),
    };
  };
