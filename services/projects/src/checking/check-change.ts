import { CrawlServiceService as Crawl } from '@tidemark/contracts/crawl/v1/crawl';
import { ExportServiceService as Export } from '@tidemark/contracts/export/v1/export';
import { ScrapeServiceService as Scrape } from '@tidemark/contracts/scrape/v1/scrape';
import { AppError, type FieldFault } from '@tidemark/errors';
import type { Peer } from '@tidemark/service';
import { channelsOf } from '../domain/channels.ts';
import { type ConfigValues, type Masking, pickKeys } from '../domain/config-values.ts';
import type { Admit } from '../new-project.ts';
import type { Asked } from '../run-starter.ts';
import type { Settle } from '../settle.ts';
import { type PlacedSelector, selectorsIn } from './selectors-in.ts';

/** A change of config that is to be saved for a site. */
export interface ConfigChange {
  readonly seed: string;
  readonly change: ConfigValues;
}

/** Refuses what no run could go by, and receivers nobody may be sent to, while it can still be mended. @throws AppError validation */
export type CheckChange = (asked: Asked, change: ConfigChange) => Promise<void>;

export interface CheckChangeDeps {
  readonly crawl: Peer;
  readonly scrape: Peer;
  /** Connections of the workspace. */
  readonly exports: Peer;
  readonly settle: Settle;
  readonly masking: Masking;
  readonly admit: Admit;
}

const PATTERN_KEYS: readonly string[] = ['include_paths', 'exclude_paths', 'sitemap_include', 'sitemap_exclude'];
/** Selectors one question may hold. */
const SELECTORS_AT_ONCE = 50;
/** For all of them together: they are asked side by side. */
const JUDGED_WITHIN_MS = 5_000;
/** Faults told at once. */
const MOST_FAULTS = 20;

/**
 * Each setting is judged by the service that goes by it. One that is away or too slow lets the change pass: it judges again where a run
 * starts, a message is sent or a digest is made.
 */
export function makeCheckChange(deps: CheckChangeDeps): CheckChange {
  return async (asked, { seed, change }) => {
    const checks = [
      checkPatterns(deps, asked, { seed, change }),
      checkSelectors(deps, asked, change),
      checkConnection(deps, asked, change),
      checkReceivers(deps, change),
    ];
    const verdicts = await Promise.allSettled(checks.map(unlessAway));
    // Of several refusals the first in this order is told, whichever came first.
    const refused = verdicts.find(({ status }) => status === 'rejected');
    if (refused?.status === 'rejected') throw refused.reason;
  };
}

/** @throws AppError validation */
async function unlessAway(checked: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, JUDGED_WITHIN_MS);
  });
  try {
    await Promise.race([checked, tooLate]);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'unavailable') throw error;
  } finally {
    clearTimeout(timer);
  }
}

async function checkPatterns({ crawl, settle }: CheckChangeDeps, asked: Asked, { seed, change }: ConfigChange) {
  const patterns = Object.entries(pickKeys(change, PATTERN_KEYS)).filter(([, value]) => value !== null);
  if (patterns.length === 0) return;
  const { scope } = settle(Object.fromEntries(patterns));
  await crawl.call(Crawl.judgeAddresses, { seed, scope, urls: [] }, asked, { deadlineMs: JUDGED_WITHIN_MS });
}

async function checkSelectors({ scrape }: CheckChangeDeps, asked: Asked, change: ConfigValues) {
  const placed = selectorsIn(change);
  const faultsOf = async (some: readonly PlacedSelector[]): Promise<FieldFault[]> => {
    const question = { selectors: some.map(({ selector }) => selector), pages: [], samples: 0 };
    const { errors } = await scrape.call(Scrape.matchSelectors, question, asked, { deadlineMs: JUDGED_WITHIN_MS });
    return some.flatMap(({ loc }, at) => {
      const msg = errors[at] ?? '';
      return msg === '' ? [] : [{ loc: ['body', 'config', ...loc], msg, type: 'selector_refused' }];
    });
  };
  const questions: Promise<FieldFault[]>[] = [];
  for (let from = 0; from < placed.length; from += SELECTORS_AT_ONCE)
    questions.push(faultsOf(placed.slice(from, from + SELECTORS_AT_ONCE)));
  const faults = (await Promise.all(questions)).flat();
  if (faults.length > 0) throw refusal(faults.slice(0, MOST_FAULTS));
}

async function checkConnection({ exports }: CheckChangeDeps, asked: Asked, change: ConfigValues) {
  const { digestConnectionId: id } = channelsOf({ id: '', name: '', seed: '', config: change });
  if (id === '') return;
  const loc = ['body', 'config', 'change_digest', 'connection_id'];
  const refused = refusal([{ loc, msg: 'there is no such connection', type: 'not_found' }]);
  // A key that is for some projects sees no connections: whether there is one is nothing it learns, and no reason to ask.
  if (asked.caller.projects.length > 0) throw refused;
  try {
    await exports.call(Export.getConnection, { id }, asked, { deadlineMs: JUDGED_WITHIN_MS });
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'not_found') throw error;
    throw refused;
  }
}

/** What is sent out goes through the guard each time; here a wrong address is told to whoever wrote it. */
async function checkReceivers({ admit, masking }: CheckChangeDeps, change: ConfigValues) {
  for (const key of ['webhook_url', 'chat_url']) {
    const url = change[key];
    if (typeof url !== 'string' || url === '' || masking.isMasked(url)) continue;
    try {
      await admit(url, `config.${key}`);
    } catch (error) {
      if (!(error instanceof AppError) || error.detail === undefined) throw error;
      throw refusal(error.detail.map(({ msg, type }) => ({ loc: ['body', 'config', key], msg, type })));
    }
  }
}

/** @returns what says each fault by the name of its field */
function refusal(faults: readonly FieldFault[]): AppError {
  const said = faults.map(({ loc, msg }) => `${loc.slice(1).join('.')}: ${msg}`);
  return new AppError('validation', said.join('; '), { detail: faults });
}
