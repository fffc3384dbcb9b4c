import type { OutgoingEvent } from '@tidemark/service';
import type { AdmitUrl } from '../domain/admit-url.ts';
import type { CheckLogin } from '../logins/check-login.ts';
import type { CheckConfigChange } from '../project-config/check-config-change.ts';
import type { ProjectStore } from '../store/project-store.ts';
import type { ProjectWriter } from '../store/project-writer.ts';
import { makeApplyConfig } from './apply-config.ts';
import { makeCreateProject } from './create-project.ts';
import { makeCreateProjects } from './create-projects.ts';
import { makeDeleteProject } from './delete-project.ts';
import { IdempotentInsert } from './idempotent-insert.ts';
import { makeListMissing } from './list-missing.ts';
import { makeListProjects } from './list-projects.ts';
import type { ProjectQuota } from './project-quota.ts';
import { makeSaveVolatileOverride } from './save-volatile-override.ts';
import { makeUpdateProject } from './update-project.ts';

export interface ProjectDeps {
  readonly store: ProjectStore;
  readonly writer: ProjectWriter;
  readonly quota: ProjectQuota;
  readonly admit: AdmitUrl;
  readonly checkLogin: CheckLogin;
  readonly checkConfigChange: CheckConfigChange;
  /** Sends events whose rows are committed. */
  readonly send: (events: readonly OutgoingEvent[]) => void;
  readonly now: () => Date;
}

export type ProjectUseCases = ReturnType<typeof openProjects>;

/** The use cases of projects and their config. */
export function openProjects(deps: ProjectDeps) {
  const { store: projects, writer, quota, admit, checkLogin, checkConfigChange, send, now } = deps;
  const inserts = new IdempotentInsert(projects, writer);
  return {
    createProject: makeCreateProject({ projects, inserts, quota, admit, checkLogin, checkConfigChange, now }),
    createProjects: makeCreateProjects({ projects, inserts, quota, admit, checkConfigChange, now }),
    getProject: projects.get.bind(projects),
    listProjects: makeListProjects(projects, quota.maxProjects),
    listMissing: makeListMissing(projects),
    updateProject: makeUpdateProject({ projects, writer, checkLogin, checkConfigChange, now }),
    deleteProject: makeDeleteProject({ writer, send, now }),
    applyConfig: makeApplyConfig({ projects, writer, now }),
    saveVolatileOverride: makeSaveVolatileOverride({ projects, writer, now }),
  };
}
