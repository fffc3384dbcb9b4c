import { z } from 'zod';
import { CONFIG_GROUPS } from './config.ts';
import { isStorable } from './config-values.ts';
import { JOB_STATUSES } from './job.ts';
import { Time } from './parts.ts';

/** How the last run of a project went; `v` of the list. */
export const PROJECT_HEALTHS = ['ok', 'failing', 'never'] as const;
export const DUE_STATUSES = ['starting', 'started', 'skipped', 'refused'] as const;

export const ProjectId = z
  .string()
  .regex(/^prj_[0-7][0-9a-hjkmnp-tv-z]{25}$/, 'expected a project id, such as prj_01j…');

/** Each once, in the order in which they were named. */
export const ProjectIds = z
  .array(ProjectId)
  .min(1)
  .max(1_000)
  .transform((ids) => [...new Set(ids)]);

export const ProjectName = z
  .string()
  .trim()
  .max(200)
  .refine(isStorable, 'a name holds no NUL and no half of a character');

const Schedule = z
  .string()
  .max(100)
  .regex(
    /^(?:manual|hourly|daily|weekly|monthly|[\w*,/#?-]+(?: [\w*,/#?-]+){4})$/,
    'expected manual, hourly, daily, weekly, monthly or a cron expression of five fields',
  )
  .describe(
    'manual, hourly, daily, weekly, monthly, or a cron expression of five fields; runs are spread inside the hour',
  );

const Timezone = z
  .string()
  .max(64)
  .refine(isTimezone, 'expected an IANA time zone such as Europe/Berlin')
  .describe('The IANA time zone the schedule is in');

/** Whether a name is one of an IANA time zone. */
export function isTimezone(name: string): boolean {
  // An offset is a zone to Intl, too, but knows nothing of summer.
  if (name.length > 64 || !/^[A-Za-z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

const Retention = z.int().min(1).max(3_650).describe('Days of run data kept; the newest full run always stays');

/** How a project is kept. */
export const keeping = {
  schedule: Schedule.optional(),
  timezone: Timezone.optional(),
  retention: Retention.optional(),
};

export const ApplyGroups = z
  .array(z.enum([...CONFIG_GROUPS, 'all']))
  .min(1)
  .max(CONFIG_GROUPS.length + 1)
  .describe('What to copy. Address lists, feeds and patterns belong to one site and are never copied');

const project = {
  id: z.string(),
  seed: z.string(),
  name: z.string().nullable(),
  schedule: z.string(),
  timezone: z.string(),
  retention: z.int().describe('Days of run data kept'),
  configVersion: z.int().describe('Goes up with every change of the config'),
  health: z.enum(PROJECT_HEALTHS),
  healthSince: Time.nullable().describe('Since when it is so; null before the first run has ended'),
  lastRun: z
    .object({
      id: z.string(),
      status: z.enum(JOB_STATUSES),
      stop: z.string().nullable(),
      finishedAt: Time,
      pages: z.int(),
      counts: z.record(z.string(), z.int()).describe('Pages by verdict'),
      creditsUsed: z.int(),
    })
    .nullable()
    .describe('The last run that has ended'),
  nextRunAt: Time.nullable().describe('null where nothing is due by itself'),
  lastDue: z
    .object({
      dueAt: Time,
      status: z.enum(DUE_STATUSES),
      why: z.string().nullable(),
      runId: z.string().nullable(),
      missed: z.int().describe('Due times that passed while nobody could start them'),
    })
    .nullable()
    .describe('What became of the last run the schedule asked for'),
  createdAt: Time,
  updatedAt: Time,
};

/** A project in a list. */
export const ProjectSummary = z.object(project).meta({ id: 'ProjectSummary' });
export type ProjectSummary = z.output<typeof ProjectSummary>;

/** A project whole. */
export const Project = z
  .object({
    ...project,
    config: z
      .record(z.string(), z.unknown())
      .describe('The settings that were given; GET /meta has the defaults of the others. chat_url is masked'),
    creditsUsed: z.int(),
    request_id: z.string(),
  })
  .meta({ id: 'Project' });
export type Project = z.output<typeof Project>;
