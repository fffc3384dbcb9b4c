import { AppError } from '@tidemark/errors';
import type { Keeping } from './domain/project.ts';
import { checkSchedule } from './schedule/due-times.ts';

const MAX_RETENTION_DAYS = 3_650;
const MAX_NAME_CHARS = 200;

/** What is wished of a keeping; what is absent stays as it is. */
export interface KeepingWish {
  readonly schedule?: string | undefined;
  readonly timezone?: string | undefined;
  readonly retentionDays?: number | undefined;
}

/** A keeping with what is wished in it. @throws AppError validation */
export function keepAs(wish: KeepingWish | undefined, otherwise: Keeping, now: Date): Keeping {
  const keeping = {
    schedule: wish?.schedule ?? otherwise.schedule,
    timezone: wish?.timezone ?? otherwise.timezone,
    retentionDays: wish?.retentionDays ?? otherwise.retentionDays,
  };
  checkSchedule(keeping, now);
  const { retentionDays } = keeping;
  if (retentionDays >= 1 && retentionDays <= MAX_RETENTION_DAYS) return keeping;
  throw new AppError('validation', `retention: expected 1 to ${MAX_RETENTION_DAYS} days`);
}

/** @throws AppError validation */
export function checkName(name: string): string {
  if (name.length <= MAX_NAME_CHARS) return name;
  throw new AppError('validation', `name: at most ${MAX_NAME_CHARS} characters`);
}
