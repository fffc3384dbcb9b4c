import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@tidemark/service';
import type { NewPage, Run, SitemapState } from '../../domain/run/run.ts';
import { urlCount } from '../../domain/run/run-log-text.ts';
import { ReadFiles } from '../../domain/scope/read-files.ts';
import type { ScopeRules } from '../../domain/scope/scope-rules.ts';
import { EventLoopTurns } from '../../event-loop/event-loop-turns.ts';
import type { SitemapSource } from '../../peers/sitemap-source.ts';
import type { FrontierStore } from '../../store/frontier/frontier-store.ts';
import type { LeaseStore } from '../../store/leases/lease-store.ts';
import { BATCH_PAGES, rankOfDeclared, toNewPage, unique } from './new-pages.ts';

const MAX_ATTEMPTS = 3;
const RETRY_MS = 2_000;

export interface SitemapDeps {
  readonly frontier: FrontierStore;
  readonly leases: LeaseStore;
  readonly sitemaps: SitemapSource;
  readonly log: Logger;
}

/** Adds the URLs of a site's sitemap to the frontier as they are read. @returns the state of the sitemap; undefined if the lease was lost */
export async function enqueueSitemap(
  deps: SitemapDeps,
  run: Run,
  rules: ScopeRules,
  hasLease: () => boolean,
): Promise<SitemapState | undefined> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const read = await readSitemap(deps, run, rules, hasLease);
      if (read !== undefined) await deps.leases.setSitemap(run.id, read.state, read.why);
      return read?.state;
    } catch (error) {
      deps.log.warn({ err: error, run: run.id, attempt }, 'sitemap could not be read');
      if (attempt >= MAX_ATTEMPTS || !hasLease()) break;
      await sleep(RETRY_MS);
    }
  }
  if (hasLease()) await deps.leases.setSitemap(run.id, 'missing', 'it could not be read because of an internal error');
  return hasLease() ? 'missing' : undefined;
}

async function readSitemap(
  { frontier, sitemaps }: SitemapDeps,
  run: Run,
  rules: ScopeRules,
  hasLease: () => boolean,
): Promise<ReadSitemap | undefined> {
  const rank = rankOfDeclared(run);
  const files = new ReadFiles(rules);
  let declared = 0;
  let leftOut = 0;
  let fault = '';
  const onEnd = (why: string) => {
    fault = why;
  };
  let waiting: NewPage[] = [];
  const flush = async (): Promise<boolean> => {
    const added = waiting.length === 0 ? 0 : await frontier.add(run.id, run.scope.maxPages, unique(waiting));
    waiting = [];
    return added !== undefined && hasLease();
  };
  const turns = new EventLoopTurns();
  for await (const { url, file } of sitemaps.entries(orderOf(run), onEnd)) {
    if (!files.has(file)) {
      leftOut += 1;
      continue;
    }
    declared += 1;
    const decision = rules.evaluate(url, 'sitemap');
    if (decision.follow && rules.maxDepth >= 1) waiting.push(toNewPage(decision.page, 'sitemap', 1, rank));
    if (waiting.length >= BATCH_PAGES && !(await flush())) return undefined;
    if (turns.isOver) await turns.next();
  }
  return (await flush()) ? describe({ declared, leftOut, fault }) : undefined;
}

/** State of a sitemap whose entries are enqueued, and its reason for the run's log. */
interface ReadSitemap {
  readonly state: SitemapState;
  readonly why: string;
}

interface SitemapCounts {
  readonly declared: number;
  /** Entries in files that the scope leaves out. */
  readonly leftOut: number;
  /** Why a part could not be read; empty: none. */
  readonly fault: string;
}

function describe({ declared, leftOut, fault }: SitemapCounts): ReadSitemap {
  const others =
    leftOut === 0 ? '' : `; ${urlCount(leftOut)} in files that sitemap_include and sitemap_exclude leave out`;
  if (declared === 0)
    return { state: 'missing', why: `no URL is declared${fault === '' ? '' : `: ${fault}`}${others}` };
  return {
    state: 'read',
    why: `${urlCount(declared)} declared${others}${fault === '' ? '' : `; read in part: ${fault}`}`,
  };
}

const orderOf = ({ id, workspaceId, seed, scope }: Run) => ({
  runId: id,
  workspaceId,
  seed,
  allowSubdomains: scope.allowSubdomains,
  perFile: scope.sitemapInclude.length + scope.sitemapExclude.length > 0,
});
