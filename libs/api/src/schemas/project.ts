import { CONFIG_GROUPS, isTag, isTimezone, MAX_TAGS, TAG_RULE } from '@tidemark/project-config';
import { DUE_STATUSES, JOB_STATUSES, Stop, Time } from '@tidemark/results';
import { z } from 'zod';
import { nameText } from './parts.ts';

/** Health of a project by its last run; values of `v` on the list. */
export const PROJECT_HEALTHS = ['ok', 'failing', 'never'] as const;

export const ProjectId = z
  .string()
  .regex(/^prj_[0-7][0-9a-hjkmnp-tv-z]{25}$/, 'expected a project id, such as prj_01j…');

/** Project ids without duplicates, in the given order. */
export const ProjectIds = z
  .array(ProjectId)
  .min(1)
  .max(1_000)
  .transform((ids) => [...new Set(ids)]);

export const ProjectName = nameText(200).describe('Name that people see');

export const ProjectReference = z
  .string()
  .regex(/^[\w./-]{1,200}$/, 'expected 1 to 200 letters, digits and . _ / -')
  .describe('A name of your choice that is unique in the workspace, such as the one in a file of `tidemark apply`');

/** One tag of a project, in Unicode form C. */
export const ProjectTag = nameText(50)
  .transform((tag) => tag.normalize('NFC'))
  .refine(isTag, TAG_RULE);

export const ProjectTags = z
  .array(ProjectTag)
  .max(MAX_TAGS)
  .describe('Words by which you group projects: filter of GET /projects and POST /projects/run. Case is significant');

const Schedule = z
  .string()
  .max(100)
  .regex(
    /^(?:manual|hourly|daily|weekly|monthly|[\w*,/#?-]+(?: [\w*,/#?-]+){4})$/,
    'expected manual, hourly, daily, weekly, monthly or a cron expression of five fields',
  )
  .describe(
    'manual, hourly, daily, weekly, monthly, or a cron expression of five fields; start times are spread within the hour',
  );

const Timezone = z
  .string()
  .max(64)
  .refine(isTimezone, 'expected an IANA time zone such as Europe/Berlin')
  .describe('IANA time zone of the schedule');

const Retention = z
  .int()
  .min(1)
  .max(3_650)
  .describe('Days for which run data is kept; the newest full run is always kept');

/** Optional settings of a project besides its configuration. */
export const projectSettings = {
  schedule: Schedule.optional(),
  timezone: Timezone.optional(),
  retention: Retention.optional(),
};

export const ApplyGroups = z
  .array(z.enum([...CONFIG_GROUPS, 'all']))
  .min(1)
  .max(CONFIG_GROUPS.length + 1)
  .describe('Groups to copy. URL lists, feeds and patterns belong to one site and are never copied');

const project = {
  id: z.string(),
  seed: z.string(),
  name: z.string().nullable(),
  reference: z.string().nullable().describe('The name that its owner chose for programs; null: none'),
  tags: z.array(z.string()).describe('Sorted, each once'),
  schedule: z.string(),
  timezone: z.string(),
  retention: z.int().describe('Days for which run data is kept'),
  configVersion: z.int().describe('Incremented with every change of the configuration'),
  health: z.enum(PROJECT_HEALTHS),
  healthSince: Time.nullable().describe('Start of the current health; null before the first run has ended'),
  lastRun: z
    .object({
      id: z.string(),
      status: z.enum(JOB_STATUSES),
      stop: Stop,
      error: z.string().nullable().describe('Why the run failed; null if it did not'),
      finishedAt: Time,
      pages: z.int(),
      counts: z.record(z.string(), z.int()).describe('Pages by verdict'),
      creditsUsed: z.int(),
    })
    .nullable()
    .describe('The last run that ended'),
  nextRunAt: Time.nullable().describe('null if no run is scheduled'),
  lastDue: z
    .object({
      dueAt: Time,
      status: z.enum(DUE_STATUSES),
      why: z.string().nullable(),
      runId: z.string().nullable(),
      missed: z.int().describe('Number of scheduled times that were missed'),
    })
    .nullable()
    .describe('Result of the last scheduled start'),
  createdAt: Time,
  updatedAt: Time,
};

/** A project in a list. */
export const ProjectSummary = z.object(project).meta({ id: 'ProjectSummary' });
export type ProjectSummary = z.output<typeof ProjectSummary>;

/** A project with its configuration. */
export const Project = z
  .object({
    ...project,
    config: z
      .record(z.string(), z.unknown())
      .describe(
        'Keys that were set; GET /meta returns the defaults of the others. Secrets in headers, cookies, webhook_url and chat_url are masked',
      ),
    creditsUsed: z.int(),
    request_id: z.string(),
  })
  .meta({ id: 'Project' });
export type Project = z.output<typeof Project>;
