import type { Logger } from '@tidemark/service';
import { type NewPage, RANK, type Run, type SitemapState } from '../domain/run.ts';
import { addresses } from '../domain/run-words.ts';
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
  const first = unique(pages);
  for (const batch of batchesOf(first)) await deps.frontier.add(run.id, run.scope.maxPages, batch);
  await deps.leases.setSitemap(run.id, rules.wantsSitemap ? 'waiting' : 'none');
  await deps.leases.setFeeds(run.id, rules.wantsFeeds ? 'waiting' : 'none');
  await deps.leases.setSeeded(run.id, first.length);
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
      const read = await readSitemap(deps, run, rules, isOurs);
      if (read !== undefined) await deps.leases.setSitemap(run.id, read.state, read.why);
      return read?.state;
    } catch (error) {
      deps.log.warn({ err: error, run: run.id, attempt }, 'the sitemap could not be read');
      if (attempt >= SITEMAP_TRIES || !isOurs()) break;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
  if (isOurs()) await deps.leases.setSitemap(run.id, 'missing', 'it could not be read; the fault is ours');
  return isOurs() ? 'missing' : undefined;
}

async function readSitemap(
  { frontier, sitemaps }: SeedDeps,
  run: Run,
  rules: ScopeRules,
  isOurs: () => boolean,
): Promise<{ state: SitemapState; why: string } | undefined> {
  const rank = rankOfDeclared(run);
  let declared = 0;
  let fault = '';
  const onEnd = (why: string) => {
    fault = why;
  };
  let waiting: NewPage[] = [];
  const flush = async (): Promise<boolean> => {
    const added = waiting.length === 0 ? 0 : await frontier.add(run.id, run.scope.maxPages, unique(waiting));
    waiting = [];
    return added !== undefined && isOurs();
  };
  for await (const { url } of sitemaps.entries(orderOf(run), onEnd)) {
    declared += 1;
    const judgement = rules.judge(url, 'sitemap');
    if (judgement.follow && rules.maxDepth >= 1) waiting.push(toNewPage(judgement.page, 'sitemap', 1, rank));
    if (waiting.length >= ADD_AT_ONCE && !(await flush())) return undefined;
  }
  if (!(await flush())) return undefined;
  if (declared === 0) return { state: 'missing', why: `no address is declared${fault === '' ? '' : `: ${fault}`}` };
  return {
    state: 'read',
    why: `${addresses(declared)} declared${fault === '' ? '' : `; not the whole of it: ${fault}`}`,
  };
}

/** The place of what a site declares: before its links, or after all of them. */
export const rankOfDeclared = ({ scope }: Run): number =>
  scope.crawlMode === 'links_first' ? RANK.sitemapLast : RANK.sitemap;

type Addressed = Pick<NewPage, 'key' | 'url' | 'host'>;

export const toNewPage = (page: Addressed, foundVia: FoundVia, depth: number, rank: number): NewPage => ({
  ...page,
  depth,
  rank,
  foundVia,
  referer: undefined,
});

export const unique = (pages: readonly NewPage[]): NewPage[] =>
  [...new Map(pages.toReversed().map((page) => [page.key.toString('latin1'), page])).values()].reverse();

export function* batchesOf<T>(items: readonly T[]): Generator<readonly T[]> {
  for (let from = 0; from < items.length; from += ADD_AT_ONCE) yield items.slice(from, from + ADD_AT_ONCE);
}

const orderOf = ({ id, workspaceId, seed, scope }: Run) => ({
  runId: id,
  workspaceId,
  seed,
  allowSubdomains: scope.allowSubdomains,
});
