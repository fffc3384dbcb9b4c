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

function toPattern({ field, pattern, urls, samples }: PatternCount): DryRun['patterns'][number] {
  const known = FIELDS.find((each) => each === field);
  if (known === undefined) throw new AppError('internal', `a pattern has the unknown field ${field}`);
  return { field: known, pattern, urls, samples };
}

const missing = (what: string): never => {
  throw new AppError('internal', `projects returned no ${what.replace(/^an? /, '')}`);
};

/** Converts the result of a dry run. */
export function toDryRun(
  response: DryRunResponse | undefined,
  estimatedCost: DryRun['estimatedCost'],
  requestId: string,
): DryRun {
  const result = response ?? missing('a result');
  return {
    runId: result.runId ?? null,
    known: result.known,
    inScope: result.inScope,
    visited: result.visited,
    samples: result.samples,
    excluded: result.excluded.map(({ reason, urls, samples }) => ({ reason, urls, samples })),
    newlyIn: { urls: result.newlyIn, samples: result.newlyInSamples },
    newlyOut: { urls: result.newlyOut, samples: result.newlyOutSamples },
    patterns: result.patterns.map(toPattern),
    estimatedCredits: result.estimatedCredits,
    estimatedCost,
    cut: result.isCut,
    creditsUsed: 0,
    request_id: requestId,
  };
}

const toFeed = ({ url, outcome, urls, error }: ListedSource): Sources['feeds'][number] => ({
  url,
  outcome: outcome?.value ?? null,
  urls,
  error: error ?? null,
});

/** Converts the sources of a project. */
export function toSources({ seed, scope, found }: SourcesResponse, requestId: string): Sources {
  const settings = scope ?? missing('a scope');
  const result = found ?? missing('what was found');
  return {
    runId: result.runId ?? null,
    seed,
    sitemap: {
      used: settings.useSitemap && settings.sitemapMode !== 'skip',
      mode: settings.sitemapMode,
      include: settings.sitemapInclude,
      exclude: settings.sitemapExclude,
      outcome: result.sitemap || null,
    },
    list: {
      urls: settings.urlList.length,
      data: result.list.slice(0, MAX_LISTED).map(({ url, outcome }) => ({ url, verdict: outcome?.value ?? null })),
    },
    feeds: result.feeds.map(toFeed),
    patterns: result.patterns.map(toPattern),
    found: result.found.map(({ foundVia, urls, pages }) => ({ foundVia, urls, pages })),
    cut: result.isCut,
    creditsUsed: 0,
    request_id: requestId,
  };
}

const toFeedPreview = (feed: FeedPreview): SourcesPreview['feeds'][number] => ({
  url: feed.url,
  httpStatus: feed.httpStatus ?? null,
  entries: feed.entries,
  inScope: feed.inScope,
  samples: feed.samples,
  error: feed.error ?? null,
});

const toProblems = ({ url, normalized, problem }: ListedCheck): SourcesPreview['list']['problems'] =>
  problem === undefined ? [] : [{ url, normalized: normalized ?? null, problem }];

/** Converts a preview of sources. */
export function toSourcesPreview(
  preview: PreviewSourcesResponse | undefined,
  estimatedCost: SourcesPreview['estimatedCost'],
  requestId: string,
): SourcesPreview {
  const result = preview ?? missing('a preview');
  const problems = result.list.flatMap(toProblems);
  return {
    patterns: result.patterns.map(toPattern),
    declared: result.declared,
    known: result.known,
    feeds: result.feeds.map(toFeedPreview),
    list: {
      urls: result.list.length,
      usable: result.list.length - problems.length,
      problems: problems.slice(0, MAX_LISTED),
    },
    estimatedPages: result.estimatedPages,
    estimatedCredits: result.estimatedCredits,
    estimatedCost,
    cut: result.isCut,
    creditsUsed: 0,
    request_id: requestId,
  };
}
