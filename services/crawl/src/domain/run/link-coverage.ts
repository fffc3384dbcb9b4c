import { scopeRules } from '../scope/scope-rules.ts';
import { RECRAWL, type Run } from './run.ts';

export type LinkSet = 'orphans' | 'unlisted' | 'dead_ends';
export const isLinkSet = (kind: string): kind is LinkSet =>
  kind === 'orphans' || kind === 'unlisted' || kind === 'dead_ends';

/** Returns whether a run covered enough of its site for a set of its link graph to be conclusive, and why not. */
export function coverageOf(run: Run, kind: LinkSet): { hasEnded: boolean; isVerdict: boolean; why: string } {
  if (run.status === 'queued' || run.status === 'running') {
    return { hasEnded: false, isVerdict: false, why: 'the run has not ended' };
  }
  const not = (why: string) => ({ hasEnded: true, isVerdict: false, why });
  if (run.trigger === RECRAWL) return not('a recrawl reads listed pages only');
  if (run.status === 'error') return not(run.error ?? 'the run ended with an internal error');
  if (run.stop !== 'finished') return not(`the run stopped before it covered the whole site: ${run.stop ?? ''}`);
  if ((run.verdicts['lost'] ?? 0) > 0) return not('pages were lost because of an internal error');
  if (run.givenUp.length > 0) return not(`hosts did not respond: ${run.givenUp.slice(0, 3).join(', ')}`);
  if (run.traps.length > 0) return not('URLs were cut off as a trap: their links are unknown');
  if (kind === 'dead_ends') return { hasEnded: true, isVerdict: true, why: '' };
  if (run.sitemap === 'none') return not('the run read no sitemap');
  if (run.sitemap !== 'read') return not('the site has no sitemap that could be read');
  if (!scopeRules(run.seed, run.scope, run.home).followsLinks) return not('the run followed no links');
  return { hasEnded: true, isVerdict: true, why: '' };
}
