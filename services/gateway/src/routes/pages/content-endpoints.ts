import { routes } from '@tidemark/api';
import type { Run } from '@tidemark/contracts/crawl/v1/crawl';
import { ProjectsServiceService as ProjectsRpc } from '@tidemark/contracts/projects/v1/projects';
import { type PreviewContentResponse, ScrapeServiceService as Rpc } from '@tidemark/contracts/scrape/v1/scrape';
import type { CallContext, Peer } from '@tidemark/service';
import { type Endpoint, endpoint } from '../../mount.ts';
import { toConfigJson } from '../projects/config-wish.ts';
import { checkedProjectId } from '../projects/project-endpoints.ts';
import { mustRun } from '../runs/asked-run.ts';
import { PageFinder } from './page-finder.ts';

export interface ContentPeers {
  readonly projects: Peer;
  readonly crawl: Peer;
  readonly archive: Peer;
  readonly scrape: Peer;
}

interface PreviewWanted {
  readonly id: string;
  readonly runId?: string | undefined;
  /** The home page by default. */
  readonly url?: string | undefined;
  /** Unsaved changes. */
  readonly config?: Readonly<Record<string, unknown>> | undefined;
}

interface Previewed {
  readonly run: Run;
  readonly url: string;
  readonly made: PreviewContentResponse;
}

/** What the content filters make, and take out, of stored pages. */
export function contentEndpoints({ projects, crawl, archive, scrape }: ContentPeers): Endpoint[] {
  const finder = new PageFinder(crawl, archive);

  async function preview({ id, runId, url, config }: PreviewWanted, call: CallContext): Promise<Previewed> {
    const asked = { projectId: checkedProjectId(id), configJson: toConfigJson(config) };
    const { options } = await projects.call(ProjectsRpc.resolveConfig, asked, call);
    const run = await mustRun(projects, { id, runId }, call);
    const page = await finder.row(run, url ?? run.seed, call);
    return { run, url: page.url, made: await scrape.call(Rpc.previewContent, { page, options }, call) };
  }

  const facts = ({ run, url, made: { words, keptShare, removed } }: Previewed) => ({
    ...{ url, runId: run.id, words, keptShare, creditsUsed: 0 },
    removed: removed.map(({ reason, selector, words: lost, text }) => ({ reason, selector, words: lost, text })),
  });

  return [
    endpoint(routes.getRemoved, async ({ params, query, call, requestId }) => {
      const previewed = await preview({ id: params.id, runId: query.run_id, url: query.url }, call);
      return { status: 200, body: { ...facts(previewed), request_id: requestId } };
    }),

    endpoint(routes.previewContent, async ({ params, body, call, requestId }) => {
      const previewed = await preview({ id: params.id, url: body.page, config: body.config }, call);
      const { title, language, markdown, text, notes, fieldsJson } = previewed.made;
      const fields: unknown = fieldsJson === '' ? {} : JSON.parse(fieldsJson);
      const content = { title: title || null, language: language || null, markdown, text, fields, notes };
      return { status: 200, body: { ...facts(previewed), ...content, request_id: requestId } };
    }),
  ];
}
