import { createHash } from 'node:crypto';
import { toProjectRun } from '@tidemark/api';
import { CrawlServiceService as Crawl, type Scope } from '@tidemark/contracts/crawl/v1/crawl';
import { AppError } from '@tidemark/errors';
import type { CallContext, Peer } from '@tidemark/service';
import type { KnownPage, PageReading } from '../record/page-reading.ts';
import type { ScopeRules } from '../record/survey-run.ts';
import type { KeptConfig } from '../store/record-store.ts';

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

/** Those by which crawl judges an address that nobody named. */
const JUDGED_KEYS = ['include_paths', 'exclude_paths', 'allow_subdomains', 'ignore_query'] as const;

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

/**
 * What later records need of a configuration: by which rules addresses were judged, and the rules of its fields. Headers, cookies and lists
 * of addresses stay with their project; that a list is another shows in the scope's hash. A page that was visited only because the list
 * named it is then taken for one the scope left out: it came in, and is not called new.
 */
export const keptConfig = (config: Config): KeptConfig => only([...JUDGED_KEYS, 'fields'], config);

const only = (keys: readonly string[], config: Config): Config =>
  Object.fromEntries(keys.flatMap((key) => (config[key] === undefined ? [] : [[key, config[key]]])));

/** A configuration, and the hash of its scope. */
interface Scoped {
  readonly config: Config;
  readonly scopeHash: string;
}

export interface ScopeChange {
  readonly seed: string;
  readonly projectId: string;
  readonly now: Scoped;
  /** Of the baseline, as it was kept; absent: there is none. */
  readonly before: Scoped | undefined;
}

export interface ScopeSources {
  readonly known: () => AsyncIterable<readonly KnownPage[]>;
  readonly current: () => AsyncIterable<readonly PageReading[]>;
}

const EVERYTHING: ScopeRules = { admits: () => true, admittedBefore: () => true };
const NOTHING: ReadonlySet<string> = new Set();

/**
 * Which pages each of two runs may visit. Where the scope has not changed, all of them; else crawl judges every address once, by the
 * rules it visits pages by.
 */
export async function scopeRules(
  crawl: Peer,
  change: ScopeChange,
  { known, current }: ScopeSources,
  call: CallContext,
): Promise<ScopeRules> {
  const { now, before } = change;
  if (before === undefined || now.scopeHash === before.scopeHash) return EVERYTHING;
  const leftOut = await refused(crawl, change, now.config, known(), call);
  const cameIn = await refused(crawl, change, before.config, current(), call);
  return { admits: (url) => !leftOut.has(url), admittedBefore: (url) => !cameIn.has(url) };
}

/** Those of these pages whose addresses a configuration leaves out. One that no longer settles leaves none out. */
async function refused(
  crawl: Peer,
  { seed, projectId }: Pick<ScopeChange, 'seed' | 'projectId'>,
  config: Config,
  batches: AsyncIterable<readonly { readonly url: string }[]>,
  call: CallContext,
): Promise<ReadonlySet<string>> {
  const scope = settledScope(config);
  if (scope === undefined) return NOTHING;
  const out = new Set<string>();
  try {
    for await (const batch of batches)
      for (let from = 0; from < batch.length; from += ADDRESSES_AT_ONCE) {
        const urls = batch.slice(from, from + ADDRESSES_AT_ONCE).map(({ url }) => url);
        const asked = { seed, scope, urls, projectId };
        const { outOfScope } = await crawl.call(Crawl.judgeAddresses, asked, call, { deadlineMs: ASK_MS });
        for (const at of outOfScope) out.add(urls[at] ?? '');
      }
  } catch (error) {
    // Patterns that crawl took once and takes no more.
    if (error instanceof AppError && error.code === 'validation') return NOTHING;
    throw error;
  }
  return out;
}

function settledScope(config: Config): Scope | undefined {
  try {
    return toProjectRun(only([...JUDGED_KEYS, 'url_list'], config)).scope;
  } catch {
    return undefined;
  }
}
