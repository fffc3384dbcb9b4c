import type { Caller } from '@tidemark/contracts';
import { AppError } from '@tidemark/errors';
import { HEALTHS, type Health, type Project, type ProjectSummary } from './domain/project.ts';
import type { ProjectStore } from './store/project-store.ts';

const MOST_LISTED = 1_000;
const CONFIGS_AT_ONCE = 10;
/** Bytes of config one answer carries before it ends early. */
const MOST_CONFIG_BYTES = 4 * 1024 * 1024;

export interface ListWish {
  readonly health: string;
  /** 0: all of them. */
  readonly limit: number;
  readonly cursor: string;
  readonly withConfig: boolean;
}

export interface Listed {
  readonly projects: readonly (ProjectSummary | Project)[];
  /** Empty: there are no more. */
  readonly next: string;
}

/** Lists projects, newest first. `most`: as many as one workspace may hold. */
export function makeListProjects(store: ProjectStore, most: number) {
  /** @throws AppError validation */
  return async (caller: Caller, { health, limit, cursor, withConfig }: ListWish): Promise<Listed> => {
    const wanted = limit <= 0 ? most : Math.min(limit, MOST_LISTED);
    const filter = { health: toHealth(health), before: cursor, limit: wanted + 1 };
    const found = await store.list(caller, filter);
    const shown = found.slice(0, wanted);
    const projects = withConfig ? await addConfigs(store, caller, shown) : shown;
    const isCut = found.length > projects.length;
    return { projects, next: isCut ? (projects.at(-1)?.id ?? '') : '' };
  };
}

/** The projects whole, from the first on, as many as an answer can carry. */
async function addConfigs(store: ProjectStore, caller: Caller, shown: readonly ProjectSummary[]): Promise<Project[]> {
  const whole: Project[] = [];
  let bytes = 0;
  for (let from = 0; from < shown.length && bytes < MOST_CONFIG_BYTES; from += CONFIGS_AT_ONCE) {
    const ids = shown.slice(from, from + CONFIGS_AT_ONCE).map(({ id }) => id);
    const byId = new Map((await store.findAll(caller, ids)).map((project) => [project.id, project]));
    for (const id of ids) {
      const project = byId.get(id);
      // One that was deleted meanwhile is not there.
      if (project === undefined) continue;
      bytes += Buffer.byteLength(JSON.stringify(project.config));
      if (bytes > MOST_CONFIG_BYTES && whole.length > 0) return whole;
      whole.push(project);
    }
  }
  return whole;
}

function toHealth(health: string): Health | undefined {
  if (health === '') return undefined;
  const known = HEALTHS.find((one) => one === health);
  if (known === undefined) throw new AppError('validation', `v: expected ${HEALTHS.join(', ')}`);
  return known;
}
