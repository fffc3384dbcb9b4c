import type { Caller } from '@tidemark/contracts';
import { within } from '@tidemark/deadline';
import { AppError } from '@tidemark/errors';
import { mapConcurrently } from '../concurrency/map-concurrently.ts';
import type { AdmitUrl } from '../domain/admit-url.ts';
import { type ConfigValues, checkCopies, copyableTo, isSameHost, pickKeys } from '../domain/config-values.ts';
import {
  DEFAULT_SETTINGS,
  type Project,
  type ProjectSettings,
  type ProjectSummary,
  toCreated,
} from '../domain/project.ts';
import type { CheckConfigChange } from '../project-config/check-config-change.ts';
import { checkTags } from '../project-config/check-tags.ts';
import { masking } from '../project-config/masking.ts';
import { resolveConfig } from '../project-config/resolve-config.ts';
import { type Refusal, refusalOf } from '../requests/refusal-of.ts';
import type { RequestContext } from '../requests/request-context.ts';
import type { ProjectStore } from '../store/project-store.ts';
import type { Idempotency } from '../store/project-writer.ts';
import type { IdempotentInsert } from './idempotent-insert.ts';
import { newProject, normalizeSeed } from './new-project.ts';
import type { ProjectQuota } from './project-quota.ts';
import { mergeSettings, type SettingsChange } from './project-settings.ts';

const MAX_SEEDS = 1_000;
const CONCURRENT_CREATES = 16;
/** Deadline for resolving all host names, ms. Seeds not resolved by then pass: every run checks its seed again. */
const ADMIT_DEADLINE_MS = 2_000;

export interface BatchSeed {
  readonly url: string;
  readonly name: string;
  readonly idempotency: Idempotency | undefined;
}

export interface CreateProjectsRequest {
  readonly seeds: readonly BatchSeed[];
  /** Undefined: no template. */
  readonly templateId: string | undefined;
  /** Keys of the template's config to copy. */
  readonly keys: readonly string[];
  readonly settings: SettingsChange | undefined;
  /** Of every project. */
  readonly tags: readonly string[];
}

export interface RefusedSeed extends Refusal {
  readonly seed: string;
}

export interface CreatedProjects {
  readonly projects: readonly ProjectSummary[];
  readonly refused: readonly RefusedSeed[];
}

interface CreateProjectsDeps {
  readonly projects: ProjectStore;
  readonly inserts: IdempotentInsert;
  readonly quota: ProjectQuota;
  readonly admit: AdmitUrl;
  readonly checkConfigChange: CheckConfigChange;
  readonly now: () => Date;
}

/** What all projects of one request have in common. */
interface Template {
  readonly tags: readonly string[];
  readonly settings: ProjectSettings;
  readonly config: ConfigValues;
  /** Seed of the template; undefined: there is none. */
  readonly seed: string | undefined;
}

/**
 * Creates one project per seed, with the config of a template. A seed that fails, for whatever reason, is listed and does not block the
 * others: those created before it are not lost.
 */
export type CreateProjects = (context: RequestContext, request: CreateProjectsRequest) => Promise<CreatedProjects>;

export function makeCreateProjects(deps: CreateProjectsDeps): CreateProjects {
  /** @throws AppError not_found, validation, forbidden */
  return async (context, request) => {
    const { seeds } = request;
    if (seeds.length > MAX_SEEDS) throw new AppError('validation', `seeds: at most ${MAX_SEEDS}`);
    const at = deps.now();
    const template = await readTemplate(deps, context, request, at);
    const remaining = await deps.quota.remaining(context.caller);
    const admit = admitWithin(deps.admit, ADMIT_DEADLINE_MS);
    const create = makeCreateOne({ inserts: deps.inserts, admit }, context.caller, { template, remaining, at });
    const results = await mapConcurrently(seeds, CONCURRENT_CREATES, (seed) => orRefused(seed, create));
    return {
      projects: results.flatMap(({ project }) => project ?? []),
      refused: results.flatMap(({ refused }) => refused ?? []),
    };
  };
}

/** @throws AppError not_found, validation, too_large */
async function readTemplate(
  { projects, checkConfigChange }: CreateProjectsDeps,
  context: RequestContext,
  { templateId, keys, settings, tags, seeds }: CreateProjectsRequest,
  at: Date,
): Promise<Template> {
  const source = templateId === undefined ? undefined : await projects.get(context.caller, templateId);
  const template = {
    tags: checkTags(tags),
    settings: mergeSettings(settings, source ?? DEFAULT_SETTINGS, at),
    config: pickKeys(source?.config ?? {}, keys),
    seed: source?.seed,
  };
  checkCopies(template.config, seeds.length);
  if (source === undefined) return template;
  await refusingTemplate(async () => {
    resolveConfig(template.config);
    await checkConfigChange(context, { seed: source.seed, change: template.config, saved: {} });
  });
  return template;
}

interface CreateState {
  readonly template: Template;
  /** Projects that may still be created. */
  remaining: number;
  readonly at: Date;
}

function makeCreateOne(
  { inserts, admit }: Pick<CreateProjectsDeps, 'inserts' | 'admit'>,
  caller: Caller,
  state: CreateState,
) {
  const seen = new Set<string>();
  /** @throws AppError validation, conflict, plan_limit, not_found */
  return async ({ url, name, idempotency }: BatchSeed): Promise<ProjectSummary> => {
    const { template, at } = state;
    const seed = normalizeSeed(url);
    if (seen.has(seed)) throw new AppError('conflict', 'this seed is named twice');
    seen.add(seed);
    const replay = await inserts.findReplay(caller, idempotency);
    if (replay !== undefined) return withoutConfig(replay.project);
    const config = configFor(template, seed);
    const { settings, tags } = template;
    const project = await newProject({ caller, seed, name, tags, settings, config }, admit, at);
    // Counted after the checks: a refused seed does not use up the quota.
    if (state.remaining <= 0) throw new AppError('plan_limit', 'the workspace holds as many projects as it may');
    state.remaining -= 1;
    const earlier = await inserts.insert(caller, project, idempotency);
    return earlier === undefined ? toCreated(project) : withoutConfig(earlier.project);
  };
}

const withoutConfig = ({ config: _, ...project }: Project): ProjectSummary => project;

/** Secrets of the template's site are copied to projects of its host only. */
const configFor = ({ config, seed: source }: Template, seed: string): ConfigValues =>
  source === undefined || isSameHost(source, seed) ? config : copyableTo({}, config, masking);

/** Refuses a template whose copied keys, without those of its own site, are invalid. @throws AppError validation */
async function refusingTemplate(check: () => Promise<void>): Promise<void> {
  try {
    await check();
  } catch (cause) {
    if (!(cause instanceof AppError) || cause.code !== 'validation') throw cause;
    const msg = `no project can be made like this one: ${cause.message}`;
    const detail = [{ loc: ['body', 'template_project_id'], msg, type: 'template_refused' }];
    throw new AppError('validation', `template_project_id: ${msg}`, { httpStatus: 400, detail, cause });
  }
}

/** Limits the time of all admissions together: URLs that are not checked by then pass. */
function admitWithin(admit: AdmitUrl, ms: number): AdmitUrl {
  const endsAtMs = performance.now() + ms;
  return async (url, field) => {
    const leftMs = endsAtMs - performance.now();
    if (leftMs > 0) await within(admit(url, field), leftMs, () => undefined);
  };
}

async function orRefused(
  seed: BatchSeed,
  create: (seed: BatchSeed) => Promise<ProjectSummary>,
): Promise<{ readonly project?: ProjectSummary; readonly refused?: RefusedSeed }> {
  try {
    return { project: await create(seed) };
  } catch (error) {
    return { refused: { seed: seed.url, ...refusalOf(error) } };
  }
}
