import { routes } from '@tidemark/api';
import { ProjectsServiceService as ProjectsRpc } from '@tidemark/contracts/projects/v1/projects';
import { DATASETS, type ExportFormat } from '@tidemark/datasets';
import { AppError } from '@tidemark/errors';
import type { CallContext, Peer } from '@tidemark/service';
import { type Endpoint, endpoint } from '../../http/mount.ts';
import { findRun, requireFinishedRun } from '../../queries/find-run.ts';
import { RunReader } from '../../queries/run-reader.ts';
import { checkedProjectId } from '../../requests/checked-project.ts';
import { WHOLE_LIST } from '../../requests/list-cursors.ts';
import { openFile } from './open-file.ts';

export interface ExportPeers {
  readonly projects: Peer;
  readonly crawl: Peer;
  readonly archive: Peer;
  readonly export: Peer;
}

const DELIMITERS = { comma: ',', semicolon: ';', tab: '\t' } as const;

const CATALOGUE = DATASETS.map(({ name, description, formats, isOfRun, key, columns }) => ({
  name,
  description,
  formats,
  perRun: isOfRun,
  key,
  columns: columns.map(({ isNullable, ...column }) => ({ ...column, nullable: isNullable })),
}));

export function exportEndpoints(peers: ExportPeers): Endpoint[] {
  return [
    endpoint(routes.listExports, async ({ requestId }) => ({
      status: 200,
      body: { data: CATALOGUE, ...WHOLE_LIST, creditsUsed: 0, request_id: requestId },
    })),

    endpoint(routes.exportProject, async ({ params, query, call }, { acceptEncoding }) => {
      const { run_id: runId, ...options } = query;
      const target = await projectTarget(peers, { id: params.id, runId, dataset: query.dataset }, call);
      const request = { ...requestOf(options), ...target };
      return openFile(peers.export, request, { call, acceptEncoding });
    }),

    endpoint(routes.exportPages, async ({ params, body, call }, { acceptEncoding }) => {
      const { dataset, format, run_id: runId, compression, urls } = body;
      const target = await projectTarget(peers, { id: params.id, runId, dataset }, call);
      const request = { dataset, format, compression, urls, ...target };
      return openFile(peers.export, request, { call, acceptEncoding });
    }),

    endpoint(routes.exportCrawl, async ({ params, query, call }, { acceptEncoding }) => {
      if (query.dataset === 'changes' || query.dataset === 'sitemap')
        throw new AppError('validation', `a crawl has no dataset ${query.dataset}; it belongs to projects`);
      const run = await new RunReader(peers.crawl, peers.archive).find(params.id, call);
      const target = { runId: run.id, projectId: run.projectId, siteName: hostOf(run.seed) };
      const request = { ...requestOf(query), ...target };
      return openFile(peers.export, request, { call, acceptEncoding });
    }),
  ];
}

interface FileOptions {
  readonly dataset: string;
  readonly format?: ExportFormat | undefined;
  readonly compression?: string | undefined;
  readonly fields: string[];
  readonly omit: string[];
  readonly q: string;
  readonly after: number;
  readonly guard: 'on' | 'off';
  readonly bom: boolean;
  readonly delimiter: keyof typeof DELIMITERS;
}

function requestOf({ dataset, format, compression, fields, omit, q, after, guard, bom, delimiter }: FileOptions) {
  if (q !== '' && (dataset === 'changes' || dataset === 'sitemap'))
    throw new AppError('validation', `q is not supported for the dataset ${dataset}; expected a dataset of pages`);
  return {
    dataset,
    format,
    compression,
    fields,
    omit,
    q,
    after,
    csv: { guard: guard === 'on', bom, delimiter: DELIMITERS[delimiter] },
  };
}

interface TargetQuery {
  readonly id: string;
  readonly runId: string | undefined;
  readonly dataset: string;
}

/** Returns the run and the site that are exported. @throws AppError not_found */
async function projectTarget({ projects }: ExportPeers, { id, runId, dataset }: TargetQuery, call: CallContext) {
  const projectId = checkedProjectId(id);
  const { project } = await projects.call(ProjectsRpc.getProject, { id: projectId }, call);
  if (project === undefined) throw new AppError('internal', 'projects returned no project');
  const site = { projectId, siteName: hostOf(project.seed), siteUrl: project.seed };
  if (dataset === 'sitemap') return { ...site, runId: undefined };
  const query = { id, runId };
  const run =
    runId === undefined ? await requireFinishedRun(projects, query, call) : await findRun(projects, query, call);
  if (run === undefined) throw new AppError('not_found', 'run not found');
  return { ...site, runId: run.id };
}

const hostOf = (url: string): string => URL.parse(url)?.host ?? url;
