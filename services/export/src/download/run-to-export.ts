import { CrawlServiceService as Rpc, type Run } from '@tidemark/contracts/crawl/v1/crawl';
import type { ConfiguredField } from '@tidemark/datasets';
import { AppError } from '@tidemark/errors';
import type { SourceContext } from './peers.ts';

export interface RunToExport {
  readonly run: Run;
  readonly hasEnded: boolean;
  /** The fields of the configuration that the run was started with. */
  readonly fields: readonly ConfiguredField[];
}

/** Reads a run with its configured fields. @throws AppError not_found if it does not exist or belongs to another project */
export async function readRunToExport(
  id: string,
  projectId: string | undefined,
  { peers, call }: SourceContext,
): Promise<RunToExport> {
  const response = await peers.crawl.call(Rpc.getRun, { id, withLog: false, withConfig: true }, call);
  const { run } = response;
  if (run === undefined || run.projectId !== projectId) throw new AppError('not_found', 'run not found');
  const fields = Object.entries(response.config?.fields?.values ?? {}).map(
    ([name, { type, many }]): ConfiguredField => ({ name, type: type === 'number' ? 'number' : 'text', isMany: many }),
  );
  return { run, hasEnded: run.status !== 'queued' && run.status !== 'running', fields };
}
