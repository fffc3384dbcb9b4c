import { textOrEmpty } from '@tidemark/contracts';
import type { ArchivedPage } from '@tidemark/contracts/archive/v1/archive';
import type { PageRow } from '@tidemark/contracts/page/v1/page';
import { pageKey, type QueryRules } from '../domain/page-key.ts';
import type { PageReading } from '../domain/page-reading.ts';

/** Signal of a document for machines: a feed, a sitemap, data. */
const MACHINE_READ = 'machine-read';
const OK = 200;
const NOT_MODIFIED = 304;

const hex = (bytes: Uint8Array | undefined): string => (bytes === undefined ? '' : Buffer.from(bytes).toString('hex'));

/** The run of a reading and the settings that apply to it. */
export interface ReadingContext {
  readonly runId: string;
  readonly query: QueryRules;
  /** Hash of the settings that select blocks; absent: unknown. */
  readonly blockRulesKeyOf?: string | undefined;
}

/** Converts a page of a run to a reading; undefined if the archive has no row for it. */
export function toPageReading(
  { page, known }: ArchivedPage,
  { runId, query, blockRulesKeyOf }: ReadingContext,
): PageReading | undefined {
  const row = page?.row;
  if (row === undefined) return undefined;
  const key = pageKey(row.url, query);
  const requested = [row.askedUrl, ...row.redirects].filter((url) => url !== row.url).map((url) => pageKey(url, query));
  const lastModifiedMs = lastModifiedOf(row);
  const isFound = known !== undefined && known.foundVia !== 'seed' && known.foundVia !== 'list';
  return {
    pageKey: key,
    url: row.url,
    requestedKeys: [...new Set(requested)].filter((one) => one !== key && one !== ''),
    runId,
    pageId: row.id,
    // 304 Not Modified stands for the earlier, good capture.
    httpStatus: row.httpStatus === NOT_MODIFIED ? OK : row.httpStatus,
    verdict: row.verdict,
    errorCode: row.errorCode,
    signals: row.signals,
    title: textOrEmpty(row.title),
    words: row.words,
    language: textOrEmpty(row.language),
    method: row.method ?? '',
    ...(row.signals.includes(MACHINE_READ) && isFound ? { isMachineRead: true } : {}),
    ...(row.exit === undefined ? {} : { isThroughExit: true }),
    ...(row.crawledAt === undefined ? {} : { fetchedAtMs: row.crawledAt.getTime() }),
    contentHash: hex(row.contentHash),
    comparedHash: hex(row.comparedHash),
    blocksVersion: row.blocksVersion ?? 0,
    contentVariantKey: textOrEmpty(row.contentVariantKey),
    ...(blockRulesKeyOf === undefined ? {} : { blockRulesKey: blockRulesKeyOf }),
    ...(known?.inLinks === undefined ? {} : { inLinks: known.inLinks }),
    ...(lastModifiedMs === undefined ? {} : { lastModifiedMs }),
  };
}

function lastModifiedOf({ lastModified }: PageRow): number | undefined {
  const ms = Date.parse(lastModified);
  return Number.isNaN(ms) ? undefined : ms;
}
