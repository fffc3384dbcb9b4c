import { createHash } from 'node:crypto';
import { CrawlServiceService as Crawl, type Scope } from '@tidemark/contracts/crawl/v1/crawl';
import { AppError } from '@tidemark/errors';
import { type ConfigKey, type Settings, toProjectRun } from '@tidemark/project-config';
import type { CallContext, Peer } from '@tidemark/service';
import type { ScopeRules } from '../coverage/scope-rules.ts';
import type { KnownPage, PageReading } from '../domain/page-reading.ts';
import type { StoredConfig } from '../store/record-store.ts';

/** Settings that decide which pages a run visits. */
const SCOPE_KEYS = [
  'include_paths',
  'exclude_paths',
  'allow_subdomains',
  'max_depth',
  'ignore_query',
  'keep_tracking',
  'crawl_mode',
  'url_list',
  'feeds',
  'use_sitemap',
  'sitemap_mode',
  'sitemap_include',
  'sitemap_exclude',
] as const;

/** Settings by which crawl decides about a URL. */
const URL_RULE_KEYS = ['include_paths', 'exclude_paths', 'allow_subdomains', 'ignore_query', 'keep_tracking'] as const;

const MAX_URLS_PER_CALL = 1_000;
const CALL_TIMEOUT_MS = 20_000;

/**
 * Returns a hash of the scope: two runs with one hash may visit the same pages. The page limit is not part of it,
 * because it shows in the stop reason.
 */
export function scopeHash(seed: string, config: Settings): string {
  const values = SCOPE_KEYS.map((key) => config[key] ?? null);
  return createHash('sha256')
    .update(JSON.stringify([seed, values]))
    .digest('hex')
    .slice(0, 32);
}

/**
 * Returns the settings that later records and comparisons of pages need: URL rules, fields and decisions about places. Headers, cookies and URL lists are not copied; a
 * changed list shows in the scope hash. A page visited only because of the list is then treated as one that came into
 * scope, not as new.
 */
export const storedConfig = (config: Settings): StoredConfig =>
  pick([...URL_RULE_KEYS, 'fields', 'volatile_overrides'], config);

const pick = (keys: readonly ConfigKey[], config: Settings): Settings =>
  Object.fromEntries(keys.flatMap((key) => (config[key] === undefined ? [] : [[key, config[key]]])));

/** A configuration with the hash of its scope. */
interface Scoped {
  readonly config: Settings;
  readonly scopeHash: string;
}

export interface ScopeChange {
  readonly seed: string;
  readonly projectId: string;
  readonly current: Scoped;
  /** Stored configuration of the baseline; absent: no baseline. */
  readonly previous: Scoped | undefined;
}

export interface ScopeSources {
  readonly knownPages: () => AsyncIterable<readonly KnownPage[]>;
  readonly currentReadings: () => AsyncIterable<readonly PageReading[]>;
}

const ALL_IN_SCOPE: ScopeRules = { admits: () => true, admittedByBaseline: () => true };
const NO_URLS: ReadonlySet<string> = new Set();

/**
 * Returns which pages each of two runs may visit. With an unchanged scope: all. Otherwise crawl evaluates every URL
 * once by its own rules.
 */
export async function scopeRules(
  crawl: Peer,
  change: ScopeChange,
  { knownPages, currentReadings }: ScopeSources,
  call: CallContext,
): Promise<ScopeRules> {
  const { current, previous } = change;
  if (previous === undefined || current.scopeHash === previous.scopeHash) return ALL_IN_SCOPE;
  const excludedNow = await outOfScopeUrls(crawl, change, current.config, knownPages(), call);
  const excludedBefore = await outOfScopeUrls(crawl, change, previous.config, currentReadings(), call);
  return { admits: (url) => !excludedNow.has(url), admittedByBaseline: (url) => !excludedBefore.has(url) };
}

/** Returns the URLs outside the scope of a configuration. A configuration that is no longer valid excludes nothing. */
async function outOfScopeUrls(
  crawl: Peer,
  { seed, projectId }: Pick<ScopeChange, 'seed' | 'projectId'>,
  config: Settings,
  batches: AsyncIterable<readonly { readonly url: string }[]>,
  call: CallContext,
): Promise<ReadonlySet<string>> {
  const scope = resolvedScope(config);
  if (scope === undefined) return NO_URLS;
  const excluded = new Set<string>();
  try {
    for await (const batch of batches)
      for (let from = 0; from < batch.length; from += MAX_URLS_PER_CALL) {
        const urls = batch.slice(from, from + MAX_URLS_PER_CALL).map(({ url }) => url);
        const request = { seed, scope, urls, projectId };
        const { outOfScope } = await crawl.call(Crawl.checkAddresses, request, call, { deadlineMs: CALL_TIMEOUT_MS });
        for (const at of outOfScope) excluded.add(urls[at] ?? '');
      }
  } catch (error) {
    // Patterns that crawl accepted once and no longer accepts.
    if (error instanceof AppError && error.code === 'validation') return NO_URLS;
    throw error;
  }
  return excluded;
}

function resolvedScope(config: Settings): Scope | undefined {
  try {
    return toProjectRun(pick([...URL_RULE_KEYS, 'url_list'], config)).scope;
  } catch {
    return undefined;
  }
}
