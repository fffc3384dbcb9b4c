import { type DryRun, MAX_LISTED, type Sources, type SourcesPreview } from '@tidemark/api';
import type {
  DryRunResponse,
  FeedPreview,
  ListedCheck,
  ListedSource,
  PatternCount,
  PreviewSourcesResponse,
} from '@tidemark/contracts/crawl/v1/crawl';
import type { SourcesResponse } from '@tidemark/contracts/projects/v1/projects';
import { AppError } from '@tidemark/errors';

const FIELDS = ['include_paths', 'exclude_paths', 'sitemap_include', 'sitemap_exclude'] as const;

function toPattern({ field, pattern, addresses, samples }: PatternCount): DryRun['patterns'][number] {
  const known = FIELDS.find((each) => each === field);
  if (known === undefined) throw new AppError('internal', `a pattern has the unknown field ${field}`);
  return { field: known, pattern, addresses, samples };
}

const untold = (what: string): never => {
  throw new AppError('internal', `projects answered without ${what}`);
};

/** What a scope would do to the addresses already known. */
export function toDryRun(result: DryRunResponse | undefined, requestId: string): DryRun {
  const told = result ?? untold('a result');
  return {
    runId: told.runId || null,
    known: told.known,
    inScope: told.inScope,
    visited: told.visited,
    samples: told.samples,
    excluded: told.excluded.map(({ reason, addresses, samples }) => ({ reason, addresses, samples })),
    newlyIn: { addresses: told.newlyIn, samples: told.newlyInSamples },
    newlyOut: { addresses: told.newlyOut, samples: told.newlyOutSamples },
    patterns: told.patterns.map(toPattern),
    estimatedCredits: told.estimatedCredits,
    cut: told.isCut,
    creditsUsed: 0,
    request_id: requestId,
  };
}

const toFeed = ({ url, outcome, addresses, error }: ListedSource): Sources['feeds'][number] => ({
  url,
  outcome: outcome || null,
  addresses,
  error: error || null,
});

/** Where a project's pages come from, and what its last full run found through each. */
export function toSources({ seed, scope, found }: SourcesResponse, requestId: string): Sources {
  const asked = scope ?? untold('a scope');
  const told = found ?? untold('what was found');
  return {
    runId: told.runId || null,
    seed,
    sitemap: {
      used: asked.useSitemap && asked.sitemapMode !== 'skip',
      mode: asked.sitemapMode,
      include: asked.sitemapInclude,
      exclude: asked.sitemapExclude,
      outcome: told.sitemap || null,
    },
    list: {
      addresses: asked.urlList.length,
      data: told.list.slice(0, MAX_LISTED).map(({ url, outcome }) => ({ url, verdict: outcome || null })),
    },
    feeds: told.feeds.map(toFeed),
    patterns: told.patterns.map(toPattern),
    found: told.found.map(({ foundVia, addresses, pages }) => ({ foundVia, addresses, pages })),
    cut: told.isCut,
    creditsUsed: 0,
    request_id: requestId,
  };
}

const toFeedPreview = (feed: FeedPreview): SourcesPreview['feeds'][number] => ({
  url: feed.url,
  httpStatus: feed.httpStatus || null,
  entries: feed.entries,
  inScope: feed.inScope,
  samples: feed.samples,
  error: feed.error || null,
});

const toProblem = ({ url, normalized, problem }: ListedCheck): SourcesPreview['list']['problems'][number] => ({
  url,
  normalized: normalized || null,
  problem,
});

/** What sources would give. */
export function toSourcesPreview(preview: PreviewSourcesResponse | undefined, requestId: string): SourcesPreview {
  const told = preview ?? untold('a preview');
  const problems = told.list.filter(({ problem }) => problem !== '');
  return {
    patterns: told.patterns.map(toPattern),
    declared: told.declared,
    known: told.known,
    feeds: told.feeds.map(toFeedPreview),
    list: {
      addresses: told.list.length,
      usable: told.list.length - problems.length,
      problems: problems.slice(0, MAX_LISTED).map(toProblem),
    },
    estimatedPages: told.estimatedPages,
    estimatedCredits: told.estimatedCredits,
    cut: told.isCut,
    creditsUsed: 0,
    request_id: requestId,
  };
}
