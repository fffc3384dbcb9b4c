import type { PageAddress } from '../domain/scope/page-address.ts';
import type { EventLoopTurns } from '../event-loop-turns.ts';
import type { OpenPage } from '../store/results/page-results.ts';
import type { RunContext } from './run-context.ts';

/** Time limit of the evaluation of one page's links, ms, since its cost depends on the patterns; further links are ignored. */
const MAX_LINKS_MS = 10_000;

/** Returns the addresses in scope that a page links to, by key. */
export async function evaluateLinks(
  context: RunContext,
  page: OpenPage,
  links: readonly string[],
  turns: EventLoopTurns,
): Promise<ReadonlyMap<string, PageAddress>> {
  const linked = new Map<string, PageAddress>();
  const until = performance.now() + MAX_LINKS_MS;
  for (const link of links) {
    const to = context.link(link);
    const at = to?.key.toString('latin1');
    if (to !== undefined && at !== undefined && !linked.has(at) && !to.key.equals(page.key)) linked.set(at, to);
    if (!turns.isOver) continue;
    if (performance.now() > until) break;
    await turns.next();
  }
  return linked;
}
