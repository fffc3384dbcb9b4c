import { AppError, messageOf } from '@tidemark/errors';
import type { CheckChange } from './checking/check-change.ts';
import { type ConfigValues, checkCopies, pickKeys } from './domain/config-values.ts';
import { DEFAULT_KEEPING, type Keeping, type ProjectSummary } from './domain/project.ts';
import { eachOf } from './each-of.ts';
import { type KeepingWish, keepAs } from './keeping.ts';
import { type Admit, makeProject, readSeed } from './new-project.ts';
import type { ProjectDesk } from './project-desk.ts';
import type { Asked } from './run-starter.ts';
import type { Idempotency } from './store/project-writer.ts';

const MOST_SEEDS = 1_000;
const MADE_AT_ONCE = 16;
/** Names that don't resolve in time are let through: every run looks at its seed again. */
const ADMIT_ALL_WITHIN_MS = 2_000;
/** What is the seed's own fault; anything else fails the request. */
const OF_THE_SEED: readonly string[] = ['validation', 'conflict', 'plan_limit', 'not_found'];

export interface BatchSeed {
  readonly url: string;
  readonly name: string;
  readonly idempotency: Idempotency | undefined;
}

export interface BatchOrder {
  readonly seeds: readonly BatchSeed[];
  /** Empty: none. */
  readonly templateId: string;
  /** Keys of the template's config that travel. */
  readonly keys: readonly string[];
  readonly keeping: KeepingWish | undefined;
}

export interface RefusedSeed {
  readonly seed: string;
  readonly code: string;
  readonly why: string;
}

export interface Batch {
  readonly projects: readonly ProjectSummary[];
  readonly refused: readonly RefusedSeed[];
}

interface BatchDeps {
  readonly desk: ProjectDesk;
  readonly admit: Admit;
  /** Refuses a config no run can be told by. @throws AppError validation */
  readonly checkConfig: (config: ConfigValues) => unknown;
  readonly checkChange: CheckChange;
  readonly now: () => Date;
}

/** Makes one project a seed, each like the template. What a seed can't become is told, and holds up no other. */
export function makeCreateBatch({ desk, admit, checkConfig, checkChange, now }: BatchDeps) {
  /** @throws AppError not_found, validation, forbidden */
  return async (asked: Asked, order: BatchOrder): Promise<Batch> => {
    const { caller } = asked;
    if (order.seeds.length > MOST_SEEDS) throw new AppError('validation', `seeds: at most ${MOST_SEEDS}`);
    const template = order.templateId === '' ? undefined : await desk.get(caller, order.templateId);
    const at = now();
    const keeping: Keeping = keepAs(order.keeping, template ?? DEFAULT_KEEPING, at);
    const config = pickKeys(template?.config ?? {}, order.keys);
    checkCopies(config, order.seeds.length);
    if (template !== undefined) {
      await refusingTemplate(async () => {
        checkConfig(config);
        await checkChange(asked, { seed: template.seed, change: config });
      });
    }
    let room = await desk.roomFor(caller);
    const seen = new Set<string>();
    const one = async ({ url, name, idempotency }: BatchSeed): Promise<ProjectSummary> => {
      const seed = readSeed(url);
      if (seen.has(seed)) throw new AppError('conflict', 'this seed is named twice');
      seen.add(seed);
      const replay = await desk.replayOf(caller, idempotency);
      if (replay !== undefined) return replay;
      const project = await makeProject(
        { workspaceId: caller.workspaceId, seed, name, keeping, config },
        inTime.admit,
        at,
      );
      // A place is taken by what is written, and by no seed that was refused.
      if (room <= 0) throw new AppError('plan_limit', 'the workspace holds as many projects as it may');
      room -= 1;
      return desk.write(caller, project, idempotency);
    };
    const inTime = admitWithin(admit, ADMIT_ALL_WITHIN_MS);
    const outcomes = await eachOf(order.seeds, MADE_AT_ONCE, (seed) => orRefused(seed, one)).finally(inTime.stop);
    return {
      projects: outcomes.flatMap(({ project }) => project ?? []),
      refused: outcomes.flatMap(({ refused }) => refused ?? []),
    };
  };
}

/** Refuses a template that says nothing a run could go by once what belongs to its own site is left out. @throws AppError validation */
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

/** The same admission for many addresses, all of it in this time: what isn't judged by then passes. */
function admitWithin(admit: Admit, ms: number): { readonly admit: Admit; readonly stop: () => void } {
  const late = Promise.withResolvers<void>();
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    late.resolve();
  }, ms);
  return {
    admit: async (url, field) => {
      if (!isLate) await Promise.race([admit(url, field), late.promise]);
    },
    stop: () => clearTimeout(timer),
  };
}

async function orRefused(
  seed: BatchSeed,
  make: (seed: BatchSeed) => Promise<ProjectSummary>,
): Promise<{ readonly project?: ProjectSummary; readonly refused?: RefusedSeed }> {
  try {
    return { project: await make(seed) };
  } catch (error) {
    if (!(error instanceof AppError) || !OF_THE_SEED.includes(error.code)) throw error;
    return { refused: { seed: seed.url, code: error.code, why: messageOf(error) } };
  }
}
