import { createHash } from 'node:crypto';
import { toProjectRun } from '@tidemark/api';
import { CrawlServiceService as Crawl, type Scope } from '@tidemark/contracts/crawl/v1/crawl';
import type { CallContext, Peer } from '@tidemark/service';
import type { KnownPage, PageReading } from '../record/page-reading.ts';
import type { ScopeRules } from '../record/survey-run.ts';

type Config = Readonly<Record<string, unknown>>;

/** Settings that decide which pages a run visits. */
const SCOPE_KEYS = [
  'include_paths',
  'exclude_paths',
  'allow_subdomains',
  'max_depth',
  'ignore_query',
  'crawl_mode',
  'url_list',
  'feeds',
  'use_sitemap',
  'sitemap_mode',
  'sitemap_include',
  'sitemap_exclude',
] as const;

const ADDRESSES_AT_ONCE = 1_000;
const ASK_MS = 20_000;

/** Two runs of one hash may visit the same pages. How many pages a run may fetch is no part of it: that shows in how it stopped. */
export function scopeHash(seed: string, config: Config): string {
  const said = SCOPE_KEYS.map((key) => config[key] ?? null);
  return createHash('sha256')
    .update(JSON.stringify([seed, said]))
    .digest('hex')
    .slice(0, 32);
}

export interface ScopeChange {
  readonly seed: string;
  readonly now: Config;
  /** Of the baseline; absent: there is none. */
  readonly before: Config | undefined;
}

export interface ScopeSources {
  readonly known: () => AsyncIterable<readonly KnownPage[]>;
  readonly current: () => AsyncIterable<readonly PageReading[]>;
}

const EVERYTHING: ScopeRules = { admits: () => true, admittedBefore: () => true };

/**
 * Which pages each of two runs may visit. Where the scope has not changed, all of them; else crawl judges every address once, by the
 * rules it visits pages by.
 */
export async function scopeRules(
  crawl: Peer,
  { seed, now, before }: ScopeChange,
  { known, current }: ScopeSources,
  call: CallContext,
): Promise<ScopeRules> {
  if (before === undefined || scopeHash(seed, now) === scopeHash(seed, before)) return EVERYTHING;
  const leftOut = await refused(crawl, seed, toScope(now), known(), call);
  const cameIn = await refused(crawl, seed, toScope(before), current(), call);
  return { admits: (url) => !leftOut.has(url), admittedBefore: (url) => !cameIn.has(url) };
}

/** Those of these pages whose addresses a scope leaves out. */
async function refused(
  crawl: Peer,
  seed: string,
  scope: Scope,
  batches: AsyncIterable<readonly { readonly url: string }[]>,
  call: CallContext,
): Promise<ReadonlySet<string>> {
  const out = new Set<string>();
  for await (const batch of batches)
    for (let from = 0; from < batch.length; from += ADDRESSES_AT_ONCE) {
      const urls = batch.slice(from, from + ADDRESSES_AT_ONCE).map(({ url }) => url);
      const asked = { seed, scope, urls };
      const { outOfScope } = await crawl.call(Crawl.judgeAddresses, asked, call, { deadlineMs: ASK_MS });
      for (const at of outOfScope) out.add(urls[at] ?? '');
    }
  return out;
}

/** A configuration that no longer settles rules nothing out. */
function toScope(config: Config): Scope {
  return toProjectRun(config).scope;
}
