import type { Caller } from '@tidemark/contracts';
import type { ProjectHealth } from '@tidemark/contracts/projects/v1/projects';
import type { Project, ProjectSummary } from '../domain/project.ts';
import type { ProjectStore } from '../store/project-store.ts';

const MAX_LISTED = 1_000;
const CONFIG_BATCH = 10;
/** Bytes of config in one response; a larger page ends early. */
const MAX_CONFIG_BYTES = 4 * 1024 * 1024;

export interface ListProjectsRequest {
  /** Undefined: any. */
  readonly health?: ProjectHealth | undefined;
  /** Only projects with this tag; undefined: all. */
  readonly tag?: string | undefined;
  /** 1 to 1,000. Undefined: every project of the workspace. */
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
  readonly withConfig: boolean;
}

export interface ProjectPage {
  readonly projects: readonly (ProjectSummary | Project)[];
  /** Undefined: this was the last page. */
  readonly next: string | undefined;
}

/** Lists projects, newest first. */
export type ListProjects = (caller: Caller, request: ListProjectsRequest) => Promise<ProjectPage>;

/** `maxProjects`: number of projects that one workspace can hold. */
export function makeListProjects(store: ProjectStore, maxProjects: number): ListProjects {
  return async (caller, { health, tag, limit, cursor, withConfig }) => {
    const size = limit === undefined ? maxProjects : Math.min(Math.max(limit, 1), MAX_LISTED);
    const found = await store.list(caller, { health, tag: tag?.normalize('NFC'), before: cursor, limit: size + 1 });
    const page = found.slice(0, size);
    const projects = withConfig ? await addConfigs(store, caller, page) : page;
    const hasMore = found.length > projects.length;
    return { projects, next: hasMore ? projects.at(-1)?.id : undefined };
  };
}

/** Returns projects with their config, from the first on, up to the size limit of a response. */
async function addConfigs(store: ProjectStore, caller: Caller, page: readonly ProjectSummary[]): Promise<Project[]> {
  const whole: Project[] = [];
  let bytes = 0;
  for (let from = 0; from < page.length && bytes < MAX_CONFIG_BYTES; from += CONFIG_BATCH) {
    const ids = page.slice(from, from + CONFIG_BATCH).map(({ id }) => id);
    const byId = new Map((await store.findAll(caller, ids)).map((project) => [project.id, project]));
    for (const id of ids) {
      const project = byId.get(id);
      // Deleted since the list was read.
      if (project === undefined) continue;
      bytes += Buffer.byteLength(JSON.stringify(project.config));
      if (bytes > MAX_CONFIG_BYTES && whole.length > 0) return whole;
      whole.push(project);
    }
  }
  return whole;
}
