import type { CreatedProjects, ProjectSummary } from '@tidemark/sdk';
import { client } from '../../api/client.ts';

/** URLs in one request at most. */
export const MAX_URLS = 200;

export interface NewSites {
  readonly urls: readonly string[];
  readonly name: string;
  readonly schedule: string;
  readonly maxPages: number | undefined;
  readonly runNow: boolean;
}

export interface CreatedSites {
  readonly made: readonly Pick<ProjectSummary, 'id'>[];
  readonly refused: CreatedProjects['refused'];
  /** The run of a single site. */
  readonly run: string | undefined;
}

/** Creates a project per URL and starts their runs if required. @throws the error of the call if nothing was created */
export async function createProjects(sites: NewSites): Promise<CreatedSites> {
  const { made, refused } = sites.urls.length === 1 ? await createOne(sites) : await createMany(sites);
  if (!sites.runNow || made.length === 0) return { made, refused, run: undefined };
  const started = await client.call('POST /projects/run', { body: { project_ids: made.map(({ id }) => id) } });
  return { made, refused, run: started.data[0]?.run?.id };
}

async function createOne({
  urls: [seed = ''],
  name,
  schedule,
  maxPages,
}: NewSites): Promise<Omit<CreatedSites, 'run'>> {
  const body = {
    seed,
    schedule,
    ...(name === '' ? {} : { name }),
    ...(maxPages === undefined ? {} : { config: { max_pages: maxPages } }),
  };
  return { made: [await client.call('POST /projects', { body })], refused: [] };
}

async function createMany({ urls, schedule }: NewSites): Promise<Omit<CreatedSites, 'run'>> {
  const { data, refused } = await client.call('POST /projects/batch', { body: { seeds: [...urls], schedule } });
  return { made: data, refused };
}
