import { CrawlServiceService as Crawl } from '@tidemark/contracts/crawl/v1/crawl';
import { ExportServiceService as Export } from '@tidemark/contracts/export/v1/export';
import { ScrapeServiceService as Scrape } from '@tidemark/contracts/scrape/v1/scrape';
import { within } from '@tidemark/deadline';
import { AppError, type FieldFault } from '@tidemark/errors';
import { isMaskedUrl } from '@tidemark/project-config';
import type { Peer } from '@tidemark/service';
import type { AdmitUrl } from '../domain/admit-url.ts';
import { type ConfigValues, pickKeys } from '../domain/config-values.ts';
import type { RequestContext } from '../requests/request-context.ts';
import { faultsOfAlerts } from './check-alerts.ts';
import { resolveConfig } from './resolve-config.ts';
import { type PlacedSelector, selectorsIn } from './selectors-in.ts';

/** A config change to be saved, and the site it is for. */
export interface ConfigChange {
  readonly seed: string;
  readonly change: ConfigValues;
  /** What is saved already; the change is applied to it. */
  readonly saved: ConfigValues;
}

/** Refuses values that no run could use, and receivers and feeds that the egress guard does not admit. @throws AppError validation */
export type CheckConfigChange = (context: RequestContext, change: ConfigChange) => Promise<void>;

export interface CheckDeps {
  readonly crawl: Peer;
  readonly scrape: Peer;
  readonly exports: Peer;
  readonly admit: AdmitUrl;
}

const PATTERN_KEYS: readonly string[] = ['include_paths', 'exclude_paths', 'sitemap_include', 'sitemap_exclude'];
/** Selectors per request. */
const SELECTOR_BATCH = 50;
/** Deadline of all checks, ms: they run concurrently. */
const DEADLINE_MS = 5_000;
/** Faults in one error. */
const MAX_FAULTS = 20;

/**
 * Checks each setting with the service that uses it. If that service is unavailable or slow, the change passes: the setting is checked
 * again when a run starts, a message is sent or a digest is made.
 */
export function makeCheckConfigChange(deps: CheckDeps): CheckConfigChange {
  return async (context, { seed, change, saved }) => {
    const checks = [
      checkAlerts(change, saved),
      checkPatterns(deps, context, { seed, change }),
      checkSelectors(deps, context, change),
      ...connectionsIn(change).map((each) => checkConnection(deps, context, each)),
      checkUrls(deps, change),
    ];
    const results = await Promise.allSettled(checks.map(unlessUnavailable));
    // The first refusal in this order is returned, so that the error does not depend on timing.
    const refused = results.find(({ status }) => status === 'rejected');
    if (refused?.status === 'rejected') throw refused.reason;
  };
}

/** @throws AppError validation */
async function unlessUnavailable(check: Promise<void>): Promise<void> {
  try {
    await within(check, DEADLINE_MS, () => undefined);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'unavailable') throw error;
  }
}

/** @throws AppError validation with the place of each fault */
async function checkAlerts(change: ConfigValues, saved: ConfigValues): Promise<void> {
  const faults = faultsOfAlerts(change, saved);
  if (faults.length > 0) throw refusal(faults.slice(0, MAX_FAULTS));
}

async function checkPatterns(
  { crawl }: CheckDeps,
  context: RequestContext,
  { seed, change }: Pick<ConfigChange, 'seed' | 'change'>,
) {
  const patterns = Object.entries(pickKeys(change, PATTERN_KEYS)).filter(([, value]) => value !== null);
  if (patterns.length === 0) return;
  const { scope } = resolveConfig(Object.fromEntries(patterns));
  await crawl.call(Crawl.checkUrls, { seed, scope, urls: [] }, context, { deadlineMs: DEADLINE_MS });
}

async function checkSelectors({ scrape }: CheckDeps, context: RequestContext, change: ConfigValues) {
  const placed = selectorsIn(change);
  const faultsOf = async (batch: readonly PlacedSelector[]): Promise<FieldFault[]> => {
    const request = { selectors: batch.map(({ selector }) => selector), pages: [], samples: 0 };
    const { errors } = await scrape.call(Scrape.matchSelectors, request, context, { deadlineMs: DEADLINE_MS });
    return batch.flatMap(({ loc }, index) => {
      const msg = errors[index];
      return msg === undefined ? [] : [{ loc: ['body', 'config', ...loc], msg, type: 'selector_refused' }];
    });
  };
  const batches: Promise<FieldFault[]>[] = [];
  for (let from = 0; from < placed.length; from += SELECTOR_BATCH)
    batches.push(faultsOf(placed.slice(from, from + SELECTOR_BATCH)));
  const faults = (await Promise.all(batches)).flat();
  if (faults.length > 0) throw refusal(faults.slice(0, MAX_FAULTS));
}

interface PlacedConnection {
  readonly key: string;
  readonly id: string;
}

/** Returns the connections that a config names, each with its key. */
function connectionsIn(change: ConfigValues): PlacedConnection[] {
  return ['change_digest', 'extract'].flatMap((key) => {
    const value = change[key];
    const named = typeof value === 'object' && value !== null && 'connection_id' in value ? value : undefined;
    const isDefault = key === 'extract' && named?.connection_id === 'default';
    return typeof named?.connection_id === 'string' && !isDefault ? [{ key, id: named.connection_id }] : [];
  });
}

async function checkConnection({ exports }: CheckDeps, context: RequestContext, { key, id }: PlacedConnection) {
  const loc = ['body', 'config', key, 'connection_id'];
  const refused = refusal([{ loc, msg: 'connection not found', type: 'not_found' }]);
  // A key with a project allow-list sees no connections, and must not learn whether one exists.
  if (context.caller.access.kind === 'only') throw refused;
  try {
    await exports.call(Export.getConnection, { id }, context, { deadlineMs: DEADLINE_MS });
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'not_found') throw error;
    throw refused;
  }
}

/** The egress guard checks URLs again at every request; this check reports a refused receiver or feed when it is saved. */
async function checkUrls(deps: CheckDeps, change: ConfigValues) {
  const feeds = Array.isArray(change['feeds']) ? change['feeds'] : [];
  const placed = [
    ...['webhook_url', 'chat_url'].map((key) => ({ loc: [key], url: change[key] })),
    ...feeds.map((url: unknown, index) => ({ loc: ['feeds', index], url })),
  ];
  const faults = await Promise.all(placed.map((each) => faultsOfUrl(deps, each)));
  if (faults.some((each) => each.length > 0)) throw refusal(faults.flat().slice(0, MAX_FAULTS));
}

/** Returns why the egress guard does not admit a setting that is a URL. */
async function faultsOfUrl(
  { admit }: CheckDeps,
  { url, loc }: { readonly url: unknown; readonly loc: readonly (string | number)[] },
): Promise<FieldFault[]> {
  // A mask keeps the stored address.
  if (typeof url !== 'string' || url === '' || isMaskedUrl(url)) return [];
  try {
    await admit(url, `config.${loc.join('.')}`);
    return [];
  } catch (error) {
    if (!(error instanceof AppError) || error.detail === undefined) throw error;
    return error.detail.map(({ msg, type }) => ({ loc: ['body', 'config', ...loc], msg, type }));
  }
}

/** Returns an error that names the field of each fault. */
function refusal(faults: readonly FieldFault[]): AppError {
  const messages = faults.map(({ loc, msg }) => `${loc.slice(1).join('.')}: ${msg}`);
  return new AppError('validation', messages.join('; '), { detail: faults });
}
