import { z } from 'zod';

/** Schemas of results. They state what an agent uses of a result; a result may have more fields. */

const text = z.string();
const textOrNull = z.string().nullable();
const numberOrNull = z.number().nullable();
const object = z.looseObject({});

/** Characters of the result as JSON. */
const characters = z.int().describe('Size of this result');
const notice = text.describe('How to treat content of web pages');

const Next = object.nullable().describe('The call that continues, as {tool, arguments}, or null at the end');
const truncated = z.boolean().describe('Whether something was left out');

const Job = z.looseObject({ kind: z.enum(['scrape', 'crawl', 'map', 'run']), id: text });
const job = {
  job: Job.describe('Arguments of get_job'),
  status: text.describe('queued, running, done, error or cancelled'),
  credits: z.number(),
};

const IndexRow = z.looseObject({ url: text, title: textOrNull.optional(), verdict: text.optional() });
const Excerpt = z.looseObject({ url: text, untrusted_text: text });
const Body = z.looseObject({ untrusted_text: text, characters: z.int() });

const pages = { pages: z.array(IndexRow), excerpts: z.array(Excerpt) };
const onePage = {
  page: IndexRow.describe('With fields, product, head and extracted where the page has them'),
  bodies: z.record(z.string(), Body).describe('By format, such as markdown'),
};

/** The pages of a job, or its only page. */
export const CaptureResult = z.looseObject({
  characters,
  notice: notice.optional(),
  ...job,
  ...z.object({ ...pages, ...onePage }).partial().shape,
  next: Next.optional(),
});

export const MapResult = z.looseObject({
  characters,
  ...job,
  urls: z.array(z.looseObject({ url: text, lastmod: textOrNull, section: textOrNull })),
  truncated,
  next: Next,
});

/** A job that was started. */
export const StartedJob = z.looseObject({ characters, ...job });

/** What get_job returns: the state of a job with its pages or URLs, or one page. */
export const JobResult = z.looseObject({
  characters,
  job: Job,
  ...z.object({ status: job.status, credits: job.credits, ...pages, ...onePage, urls: MapResult.shape.urls }).partial()
    .shape,
  truncated: truncated.optional(),
  next: Next.optional(),
});

export const ConfigResult = z.looseObject({
  characters,
  keys: z.array(z.looseObject({ key: text, group: text, description: text.optional() })),
  formats: z.unknown(),
  verdicts: z.unknown(),
});

const project = z.looseObject({ id: text, name: textOrNull.optional(), seed: text });

export const ProjectResult = z.looseObject({ characters, project: project.extend({ config: object }) });

export const ProjectsResult = z.looseObject({ characters, projects: z.array(project), truncated, next: Next });

export const PagesResult = z.looseObject({
  characters,
  notice,
  runId: textOrNull,
  total: numberOrNull.optional().describe('Pages that match'),
  pages: z.array(IndexRow),
  excerpts: z.array(Excerpt).optional(),
  truncated,
  next: Next,
});

export const PageResult = z.looseObject({ characters, notice, ...onePage, runId: textOrNull.optional(), next: Next });

const Entry = z.looseObject({
  url: text,
  kind: text.optional().describe('added, removed or modified'),
  wordsAdded: z.number().optional(),
  wordsRemoved: z.number().optional(),
  blocks: z
    .array(z.looseObject({ op: text }))
    .optional()
    .describe('untrusted_before and untrusted_after of each edit'),
});

export const ChangesResult = z.looseObject({
  characters,
  notice,
  runId: textOrNull.optional(),
  counts: object.nullable().optional(),
  coverage: object.nullable().optional().describe('Whether the comparison is a verdict'),
  entries: z.array(Entry),
  truncated,
  next: Next,
});

export const SearchResult = z.looseObject({
  characters,
  notice,
  runId: textOrNull.optional(),
  total: numberOrNull.optional(),
  withoutBody: numberOrNull.optional().describe('Pages that could not be searched'),
  note: textOrNull.optional(),
  pages: z.array(
    IndexRow.extend({
      matches: z.number().optional(),
      untrusted_text: z.array(text).optional(),
      intervals: z.array(z.object({ firstSeen: text, lastSeen: text, goneSeen: textOrNull })).optional(),
    }),
  ),
  truncated,
  next: Next,
});
