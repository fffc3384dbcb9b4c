import type { Scope } from '@tidemark/contracts/crawl/v1/crawl';
import { AppError } from '@tidemark/errors';
import { parseWebUrl } from '@tidemark/web-url';
import { checkPatterns, scopeRules } from '../domain/scope/scope-rules.ts';
import { EventLoopTurns } from '../event-loop/event-loop-turns.ts';

const MAX_URLS = 1_000;
/** Time limit of the evaluation, ms; shorter than the deadline of the callers. */
const MAX_EVALUATION_MS = 3_000;

/**
 * Returns the indexes of the URLs that a run with this scope would leave out, however they were discovered. `landed`: the host the seed
 * redirects to. @throws AppError validation
 */
export async function findOutOfScope(
  seed: string,
  scope: Scope,
  urls: readonly string[],
  landed?: string,
): Promise<number[]> {
  if (urls.length > MAX_URLS) throw new AppError('validation', `urls: at most ${MAX_URLS}`);
  const home = parseWebUrl(seed);
  if (!home.ok) throw new AppError('validation', `seed: ${home.reason}`);
  checkPatterns(scope);
  const rules = scopeRules(home.url.href, scope, landed);
  const keyOf = (url: string): string | undefined => rules.pageUrlOf(url)?.key.toString('latin1');
  const listed = new Set(scope.urlList.flatMap((url) => keyOf(url) ?? []));
  const seedKey = keyOf(home.url.href);
  const discoveredAs = (key: string | undefined): 'list' | 'seed' | 'link' => {
    if (key === undefined) return 'link';
    if (listed.has(key)) return 'list';
    return key === seedKey ? 'seed' : 'link';
  };
  const until = performance.now() + MAX_EVALUATION_MS;
  const turns = new EventLoopTurns();
  const out: number[] = [];
  for (const [at, url] of urls.entries()) {
    if (!rules.evaluate(url, discoveredAs(keyOf(url))).follow) out.push(at);
    if (!turns.isOver) continue;
    if (performance.now() > until) throw tooSlow(at + 1, urls.length);
    await turns.next();
  }
  return out;
}

const tooSlow = (evaluated: number, all: number): AppError =>
  new AppError(
    'validation',
    `config: the patterns were compared with ${evaluated} of ${all} URLs in ${MAX_EVALUATION_MS / 1_000} s; use fewer or simpler patterns`,
  );
