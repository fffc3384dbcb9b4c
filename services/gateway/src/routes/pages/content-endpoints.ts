import { asObject, routes } from '@tidemark/api';
import type { Run } from '@tidemark/contracts/crawl/v1/crawl';
import { ProjectsServiceService as ProjectsRpc } from '@tidemark/contracts/projects/v1/projects';
import { type PreviewContentResponse, ScrapeServiceService as Rpc } from '@tidemark/contracts/scrape/v1/scrape';
import type { CallContext, Peer } from '@tidemark/service';
import { type Endpoint, endpoint } from '../../http/mount.ts';
import { requireFinishedRun } from '../../queries/find-run.ts';
import { PageFinder } from '../../queries/page-finder.ts';
import { checkedProjectId } from '../../requests/checked-project.ts';
import { toOptionalChange } from '../../requests/project-config.ts';

export interface ContentPeers {
  readonly projects: Peer;
  readonly crawl: Peer;
  readonly archive: Peer;
  readonly scrape: Peer;
}

interface PreviewQuery {
  readonly id: string;
  readonly runId?: string | undefined;
  /** By default the home page. */
  readonly url?: string | undefined;
  /** Unsaved configuration changes. */
  readonly config?: Readonly<Record<string, unknown>> | undefined;
}

interface Preview {
  readonly run: Run;
  readonly url: string;
  readonly content: PreviewContentResponse;
}

/** Endpoints that preview the content filters on stored pages. */
export function contentEndpoints({ projects, crawl, archive, scrape }: ContentPeers): Endpoint[] {
  const finder = new PageFinder(crawl, archive);

  async function preview({ id, runId, url, config }: PreviewQuery, call: CallContext): Promise<Preview> {
    const request = { projectId: checkedProjectId(id), change: toOptionalChange(config) };
    const { options } = await projects.call(ProjectsRpc.resolveConfig, request, call);
    const run = await requireFinishedRun(projects, { id, runId }, call);
    const page = await finder.row(run, url ?? run.seed, call);
    return { run, url: page.url, content: await scrape.call(Rpc.previewContent, { page, options }, call) };
  }

  const commonFields = ({ run, url, content: { words, keptShare, removed } }: Preview) => ({
    url,
    runId: run.id,
    words,
    keptShare,
    creditsUsed: 0,
    removed: removed.map(({ reason, selector, words: removedWords, text }) => ({
      reason,
      selector,
      words: removedWords,
      text,
    })),
  });

  return [
    endpoint(routes.getRemoved, async ({ params, query, call, requestId }) => {
      const previewed = await preview({ id: params.id, runId: query.run_id, url: query.url }, call);
      return { status: 200, body: { ...commonFields(previewed), request_id: requestId } };
    }),

    endpoint(routes.previewContent, async ({ params, body, call, requestId }) => {
      const previewed = await preview({ id: params.id, url: body.page, config: body.config }, call);
      const { title, language, markdown, text, notes, fieldsJson } = previewed.content;
      const fields = fieldsJson === '' ? {} : asObject(JSON.parse(fieldsJson));
      const content = { title: title || null, language: language || null, markdown, text, fields, notes };
      return { status: 200, body: { ...commonFields(previewed), ...content, request_id: requestId } };
    }),
  ];
}
