import { RANK, type Run } from '../../domain/run/run.ts';
import type { FoundVia, ScopeRules } from '../../domain/scope/scope-rules.ts';
import type { FrontierStore } from '../../store/frontier/frontier-store.ts';
import type { LeaseStore } from '../../store/leases/lease-store.ts';
import { batchesOf, toNewPage, unique } from './new-pages.ts';

export interface SeedDeps {
  readonly frontier: FrontierStore;
  readonly leases: LeaseStore;
}

/** Adds the seed and the list of a run to its frontier. Safe to repeat. */
export async function enqueueSeeds(deps: SeedDeps, run: Run, rules: ScopeRules): Promise<void> {
  if (run.seeded) return;
  const addresses: readonly (readonly [string, FoundVia])[] = [
    ...(rules.fetchesSeed ? [[run.seed, 'seed'] as const] : []),
    ...run.scope.urlList.map((url) => [url, 'list'] as const),
  ];
  const pages = addresses.flatMap(([url, via]) => {
    const decision = rules.evaluate(url, via);
    return decision.follow ? [toNewPage(decision.page, via, 0, RANK.seed)] : [];
  });
  const first = unique(pages);
  for (const batch of batchesOf(first)) await deps.frontier.add(run.id, run.scope.maxPages, batch);
  await deps.leases.setSitemap(run.id, rules.readsSitemap ? 'waiting' : 'none');
  await deps.leases.setFeeds(run.id, rules.readsFeeds ? 'waiting' : 'none');
  await deps.leases.setSeeded(run.id, first.length);
}
