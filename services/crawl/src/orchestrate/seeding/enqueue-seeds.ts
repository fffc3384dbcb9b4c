import { type NewPage, RANK, type Run } from '../../domain/run/run.ts';
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
  const pagesOf = (urls: readonly string[], via: FoundVia): NewPage[] =>
    urls.flatMap((url) => {
      const decision = rules.evaluate(url, via);
      return decision.follow ? [toNewPage(decision.page, via, 0, RANK.seed)] : [];
    });
  const seed = pagesOf(rules.fetchesSeed ? [run.seed] : [], 'seed');
  const listed = unique(pagesOf(run.scope.urlList, 'list'));
  // In separate statements, so that a listed seed is marked as listed.
  for (const batch of [...batchesOf(seed), ...batchesOf(listed)])
    await deps.frontier.add(run.id, run.scope.maxPages, batch);
  await deps.leases.setSitemap(run.id, rules.readsSitemap ? 'waiting' : 'none');
  await deps.leases.setFeeds(run.id, rules.readsFeeds ? 'waiting' : 'none');
  await deps.leases.setSeeded(run.id, unique([...seed, ...listed]).length);
}
