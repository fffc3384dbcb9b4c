import type { Logger } from '@tidemark/service';
import { type NewPage, RANK, type Run, type SitemapState } from '../domain/run.ts';
import type { FoundVia, ScopeRules } from '../domain/scope-rules.ts';
import type { SitemapSource } from '../sitemap-source.ts';
import type { FrontierStore } from '../store/frontier-store.ts';
import type { LeaseStore } from '../store/lease-store.ts';

const ADD_AT_ONCE = 500;
const SITEMAP_TRIES = 3;
const RETRY_MS = 2_000;

export interface SeedDeps {
  readonly frontier: FrontierStore;
  readonly leases: LeaseStore;
  readonly sitemaps: SitemapSource;
  readonly log: Logger;
}

/** Puts into the frontier what a run begins with: its seed and its list. Safe to repeat. */
export async function plantSeeds(deps: SeedDeps, run: Run, rules: ScopeRules): Promise<void> {
  if (run.seeded) return;
  const named: readonly (readonly [string, FoundVia])[] = [
    ...(rules.wantsSeed ? [[run.seed, 'seed'] as const] : []),
    ...run.scope.urlList.map((url) => [url, 'list'] as const),
  ];
  const pages = named.flatMap(([url, via]) => {
    const judgement = rules.judge(url, via);
    return judgement.follow ? [toNewPage(judgement.page, via, 0, RANK.seed)] : [];
  });
  for (const batch of batchesOf(unique(pages))) await deps.frontier.add(run.id, run.scope.maxPages, batch);
  await deps.leases.setSitemap(run.id, rules.wantsSitemap ? 'waiting' : 'none');
  await deps.leases.setSeeded(run.id);
}

/**
 * Puts what the site declares about itself into the frontier, as it is read. @returns whether it declares anything; undefined
 * where the run was lost meanwhile
 */
export async function plantSitemap(
  deps: SeedDeps,
  run: Run,
  rules: ScopeRules,
  isOurs: () => boolean,
): Promise<SitemapState | undefined> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const state = await readSitemap(deps, run, rules, isOurs);
      if (state !== undefined) await deps.leases.setSitemap(run.id, state);
      return state;
    } catch (error) {
      deps.log.warn({ err: error, run: run.id, attempt }, 'the sitemap could not be read');
      if (attempt >= SITEMAP_TRIES || !isOurs()) break;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
  if (isOurs()) await deps.leases.setSitemap(run.id, 'missing');
  return isOurs() ? 'missing' : undefined;
}

async function readSitemap(
  { frontier, sitemaps }: SeedDeps,
  run: Run,
  rules: ScopeRules,
  isOurs: () => boolean,
): Promise<SitemapState | undefined> {
  const rank = run.scope.crawlMode === 'links_first' ? RANK.sitemapLast : RANK.sitemap;
  let declared = 0;
  let waiting: NewPage[] = [];
  const flush = async (): Promise<boolean> => {
    const added = waiting.length === 0 ? 0 : await frontier.add(run.id, run.scope.maxPages, unique(waiting));
    waiting = [];
    return added !== undefined && isOurs();
  };
  for await (const { url } of sitemaps.entries(orderOf(run))) {
    declared += 1;
    const judgement = rules.judge(url, 'sitemap');
    if (judgement.follow && rules.maxDepth >= 1) waiting.push(toNewPage(judgement.page, 'sitemap', 1, rank));
    if (waiting.length >= ADD_AT_ONCE && !(await flush())) return undefined;
  }
  if (!(await flush())) return undefined;
  return declared > 0 ? 'read' : 'missing';
}

type Addressed = Pick<NewPage, 'key' | 'url' | 'host'>;

const toNewPage = (page: Addressed, foundVia: FoundVia, depth: number, rank: number): NewPage => ({
  ...page,
  depth,
  rank,
  foundVia,
  referer: undefined,
});

const unique = (pages: readonly NewPage[]): NewPage[] =>
  [...new Map(pages.toReversed().map((page) => [page.key.toString('latin1'), page])).values()].reverse();

function* batchesOf<T>(items: readonly T[]): Generator<readonly T[]> {
  for (let from = 0; from < items.length; from += ADD_AT_ONCE) yield items.slice(from, from + ADD_AT_ONCE);
}

const orderOf = ({ id, workspaceId, seed, scope }: Run) => ({
  runId: id,
  workspaceId,
  seed,
  allowSubdomains: scope.allowSubdomains,
});
