import { AppError } from '@tidemark/errors';
import type { ProjectSettings } from '../domain/project.ts';
import { checkSchedule } from '../schedule/due-times.ts';

const MAX_RETENTION_DAYS = 3_650;
const MAX_NAME_CHARS = 200;
const REFERENCE = /^[\w./-]{1,200}$/;

/** Requested settings; absent ones are unchanged. */
export interface SettingsChange {
  readonly schedule?: string | undefined;
  readonly timezone?: string | undefined;
  readonly retentionDays?: number | undefined;
}

/** Merges requested settings into the present ones. @throws AppError validation */
export function mergeSettings(
  change: SettingsChange | undefined,
  present: ProjectSettings,
  now: Date,
): ProjectSettings {
  const settings = {
    schedule: change?.schedule ?? present.schedule,
    timezone: change?.timezone ?? present.timezone,
    retentionDays: change?.retentionDays ?? present.retentionDays,
  };
  checkSchedule(settings, now);
  const { retentionDays } = settings;
  if (retentionDays >= 1 && retentionDays <= MAX_RETENTION_DAYS) return settings;
  throw new AppError('validation', `retention: expected 1 to ${MAX_RETENTION_DAYS} days`);
}

/** @throws AppError validation */
export function checkReference(reference: string): string {
  if (reference === '' || REFERENCE.test(reference)) return reference;
  throw new AppError('validation', 'reference: expected at most 200 letters, digits and . _ / -');
}

/** @throws AppError validation */
export function checkName(name: string): string {
  if (name.length <= MAX_NAME_CHARS) return name;
  throw new AppError('validation', `name: at most ${MAX_NAME_CHARS} characters`);
}
