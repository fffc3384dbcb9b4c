import type { OutgoingEvent } from '@tidemark/service';
import type { AdmitUrl } from '../domain/admit-url.ts';
import type { CheckLogin } from '../logins/check-login.ts';
import type { CheckConfigChange } from '../project-config/check-config-change.ts';
import type { PresentRun } from '../runs/project-runs.ts';
import type { ProjectStore } from '../store/project-store.ts';
import type { ProjectWriter } from '../store/project-writer.ts';
import type { ApplyConfig } from './apply-config.ts';
import { makeApplyConfig } from './apply-config.ts';
import type { CreateProject } from './create-project.ts';
import { makeCreateProject } from './create-project.ts';
import type { CreateProjects } from './create-projects.ts';
import { makeCreateProjects } from './create-projects.ts';
import type { DeleteProject } from './delete-project.ts';
import { makeDeleteProject } from './delete-project.ts';
import { IdempotentInsert } from './idempotent-insert.ts';
import type { ListMissing } from './list-missing.ts';
import { makeListMissing } from './list-missing.ts';
import type { ListProjects } from './list-projects.ts';
import { makeListProjects } from './list-projects.ts';
import type { ProjectQuota } from './project-quota.ts';
import type { SaveVolatileOverride } from './save-volatile-override.ts';
import { makeSaveVolatileOverride } from './save-volatile-override.ts';
import type { UpdateProject } from './update-project.ts';
import { makeUpdateProject } from './update-project.ts';

export interface ProjectDeps {
  readonly store: ProjectStore;
  readonly writer: ProjectWriter;
  readonly quota: ProjectQuota;
  readonly admit: AdmitUrl;
  readonly checkLogin: CheckLogin;
  readonly checkConfigChange: CheckConfigChange;
  readonly presentRun: PresentRun;
  /** Sends events whose rows are committed. */
  readonly send: (events: readonly OutgoingEvent[]) => void;
  readonly now: () => Date;
}

/** The use cases of projects and their config. */
export interface ProjectUseCases {
  readonly createProject: CreateProject;
  readonly createProjects: CreateProjects;
  readonly getProject: ProjectStore['get'];
  readonly listProjects: ListProjects;
  readonly listMissing: ListMissing;
  readonly updateProject: UpdateProject;
  readonly deleteProject: DeleteProject;
  readonly applyConfig: ApplyConfig;
  readonly saveVolatileOverride: SaveVolatileOverride;
}

/** Makes the use cases of projects and their config. */
export function makeProjects({
  store: projects,
  writer,
  quota,
  admit,
  checkLogin,
  checkConfigChange,
  presentRun,
  send,
  now,
}: ProjectDeps): ProjectUseCases {
  const inserts = new IdempotentInsert(projects, writer);
  return {
    createProject: makeCreateProject({ projects, inserts, quota, admit, checkLogin, checkConfigChange, now }),
    createProjects: makeCreateProjects({ projects, inserts, quota, admit, checkConfigChange, now }),
    getProject: projects.get.bind(projects),
    listProjects: makeListProjects(projects, quota.maxProjects),
    listMissing: makeListMissing(projects),
    updateProject: makeUpdateProject({ projects, writer, checkLogin, checkConfigChange, presentRun, admit, now }),
    deleteProject: makeDeleteProject({ writer, send, now }),
    applyConfig: makeApplyConfig({ projects, writer, now }),
    saveVolatileOverride: makeSaveVolatileOverride({ projects, writer, now }),
  };
}
