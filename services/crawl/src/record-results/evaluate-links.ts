import type { PageUrl } from '../domain/scope/page-url.ts';
import type { EventLoopTurns } from '../event-loop/event-loop-turns.ts';
import type { OpenPage } from '../store/results/page-results.ts';
import type { RunContext } from './run-context.ts';

/** Time limit of the evaluation of one page's links, ms, since its cost depends on the patterns; further links are ignored. */
const MAX_LINKS_MS = 10_000;

interface LinksToEvaluate {
  readonly links: readonly string[];
  readonly turns: Pick<EventLoopTurns, 'isOver' | 'next'>;
  readonly limitMs?: number;
}

interface EvaluatedLinks {
  /** URLs in scope that the page links to, by key. */
  readonly linked: ReadonlyMap<string, PageUrl>;
  /** Number of links that were not evaluated within the time limit. */
  readonly ignored: number;
}

/** Evaluates the links of a page in turns with other work of the process, within a time limit. */
export async function evaluateLinks(
  context: Pick<RunContext, 'link'>,
  page: Pick<OpenPage, 'key'>,
  { links, turns, limitMs = MAX_LINKS_MS }: LinksToEvaluate,
): Promise<EvaluatedLinks> {
  const linked = new Map<string, PageUrl>();
  const until = performance.now() + limitMs;
  for (const [nth, link] of links.entries()) {
    const to = context.link(link);
    const at = to?.key.toString('latin1');
    if (to !== undefined && at !== undefined && !linked.has(at) && !to.key.equals(page.key)) linked.set(at, to);
    if (!turns.isOver) continue;
    if (performance.now() > until) return { linked, ignored: links.length - nth - 1 };
    await turns.next();
  }
  return { linked, ignored: 0 };
}
