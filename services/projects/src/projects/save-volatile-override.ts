import type { Caller } from '@tidemark/contracts';
import { AppError } from '@tidemark/errors';
import { MAX_OVERRIDE_TEXT, MAX_VOLATILE_OVERRIDES, VolatileOverride } from '@tidemark/project-config';
import { type ConfigValues, mergeConfig, sameConfig } from '../domain/config-values.ts';
import { noSuchProject } from '../domain/not-found.ts';
import type { Project } from '../domain/project.ts';
import { masking } from '../project-config/masking.ts';
import type { LockedProject, ProjectChange } from '../store/project-change.ts';
import type { ProjectStore } from '../store/project-store.ts';
import type { ProjectWriter } from '../store/project-writer.ts';

interface SaveVolatileOverrideDeps {
  readonly projects: ProjectStore;
  readonly writer: ProjectWriter;
  readonly now: () => Date;
}

/** A decision about a place, with the page and the text that it was made about. */
export interface OverrideRequest {
  readonly place: string;
  readonly ignore: boolean;
  readonly url: string;
  readonly text: string;
}

/** Saves a decision about a place in the config. @throws AppError not_found, validation, too_large */
export type SaveVolatileOverride = (caller: Caller, id: string, request: OverrideRequest) => Promise<Project>;

export function makeSaveVolatileOverride(deps: SaveVolatileOverrideDeps): SaveVolatileOverride {
  const { projects, writer, now } = deps;
  return async (caller, id, request) => {
    const override = toOverride(request);
    const isFound = await writer.change(caller, [id], now(), (project) => changeOf(project, override));
    if (!isFound) throw noSuchProject();
    return projects.get(caller, id);
  };
}

/** Returns the config with the decision; undefined: it has it. @throws AppError validation, too_large */
function changeOf(project: LockedProject, override: VolatileOverride): ProjectChange | undefined {
  const listed = overridesOf(project.config);
  const known = listed.find(({ place }) => place === override.place);
  if (known?.ignore === override.ignore) return undefined;
  const overrides = [...listed.filter((one) => one !== known), override];
  if (overrides.length > MAX_VOLATILE_OVERRIDES)
    throw new AppError(
      'validation',
      `config.volatile_overrides: at most ${MAX_VOLATILE_OVERRIDES} places; remove some, or name the content in config.volatile_selectors`,
    );
  const config = mergeConfig(project.config, { volatile_overrides: overrides }, masking);
  return sameConfig(config, project.config) ? undefined : { ...project, config };
}

/** Returns the decisions of a saved config; what an earlier catalogue accepted and this one does not is left out. */
const overridesOf = ({ volatile_overrides: listed }: ConfigValues): VolatileOverride[] =>
  Array.isArray(listed) ? listed.flatMap((entry: unknown) => VolatileOverride.safeParse(entry).data ?? []) : [];

function toOverride({ place, ignore, url, text }: OverrideRequest): VolatileOverride {
  const shown = storable(text).slice(0, MAX_OVERRIDE_TEXT).toWellFormed();
  const parsed = VolatileOverride.safeParse({
    place,
    ignore,
    ...(url === '' ? {} : { url: storable(url) }),
    ...(shown === '' ? {} : { text: shown }),
  });
  if (!parsed.success) throw new AppError('validation', `place: ${parsed.error.issues[0]?.message ?? 'invalid'}`);
  return parsed.data;
}

/** PostgreSQL stores no NUL and no lone surrogate in JSON. */
const storable = (text: string): string => text.replaceAll('\u0000', '').toWellFormed();
