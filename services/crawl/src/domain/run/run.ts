import type { Scope } from '@tidemark/contracts/crawl/v1/crawl';
import type { JobStatus, RunTrigger } from '@tidemark/contracts/job/v1/job';
import type { CaptureOptions } from '@tidemark/contracts/scrape/v1/scrape';
import type { StopReason } from '@tidemark/contracts/stop-reasons';
import { ATTEMPT_POLICIES } from '@tidemark/leased-work/attempt-policy';
import type { FoundVia } from '../scope/scope-rules.ts';
import type { Trap } from '../scope/trap-detector.ts';

/** none: not requested; waiting: not read yet; read: read, with entries; missing: there is none, or it has no entries. */
export type SitemapState = 'none' | 'waiting' | 'read' | 'missing';
/** none: not requested; waiting: not read yet; read: each feed was read or failed. */
export type FeedsState = 'none' | 'waiting' | 'read';

/** A run as it was requested. */
export interface RunOrder {
  readonly id: string;
  readonly workspaceId: string;
  /** The key or person that started it; empty: a schedule. */
  readonly actorId: string;
  readonly projectId: string | undefined;
  readonly seed: string;
  readonly scope: Scope;
  readonly options: CaptureOptions;
  readonly trigger: RunTrigger;
  readonly requestId: string;
  /** The destination that its pages are written to. */
  readonly destinationId: string | undefined;
  readonly createdAt: Date;
}

/** A run in its current state. */
export interface Run extends RunOrder {
  readonly no: bigint;
  readonly home: string | undefined;
  readonly status: JobStatus;
  readonly paused: boolean;
  readonly earlierNo: bigint | undefined;
  /** Attempts in a row that were interrupted without progress of the run. */
  readonly interruptions: number;
  readonly seeded: boolean;
  readonly sitemap: SitemapState;
  readonly feeds: FeedsState;
  readonly known: number;
  readonly done: number;
  readonly total: number;
  readonly queued: number;
  readonly credits: number;
  readonly verdicts: Readonly<Record<string, number>>;
  /** Pages whose requested extraction has no values, by reason. */
  readonly missingValues: Readonly<Record<string, number>>;
  readonly traps: readonly Trap[];
  /** Hosts given up because they did not respond for too long. */
  readonly givenUp: readonly string[];
  readonly stop: StopReason | undefined;
  readonly error: string | undefined;
  /** It may show the present state of its project and be a baseline. */
  readonly hasCoverage: boolean;
  readonly startedAt: Date | undefined;
  readonly finishedAt: Date | undefined;
}

/** A URL to be added to a frontier. */
export interface NewPage {
  readonly key: Buffer;
  readonly url: string;
  readonly host: string;
  readonly depth: number;
  readonly rank: number;
  readonly foundVia: FoundVia;
  readonly referer: Buffer | undefined;
}

/** A page that has been claimed for fetching. */
export interface ClaimedPage {
  readonly captureId: string;
  readonly key: Buffer;
  readonly url: string;
  readonly host: string;
  /** The work item that contains the page. */
  readonly workId: string;
  readonly attempts: number;
  /** It was offered before, and may have ended. */
  readonly isRepeated: boolean;
  /** Pauses of the run before this offer. */
  readonly pauses: number;
}

/** URLs in the frontier of one run: enough for large sites, and a bound for sites that generate URLs endlessly. */
const MIN_KNOWN = 50_000;
const KNOWN_PER_PAGE = 20;
export const maxKnown = (maxPages: number): number => Math.max(MIN_KNOWN, maxPages * KNOWN_PER_PAGE);

/** A run with this trigger fetches listed pages only and never represents the whole site. */
export const RECRAWL = 'recrawl';
/** A run with this trigger was started without a project. */
export const CRAWL = 'crawl';

/** Hours until a run without a project expires after its end. */
export const EPHEMERAL_HOURS = 24;

/** Order of fetching: the seed, then pages from sitemaps and feeds, then links level by level. */
export const RANK = { seed: 0, sitemap: 1, sitemapLast: 30_000, link: (depth: number) => Math.min(2 * depth, 29_999) };

/** Offers of a page before it is left out. */
export const MAX_ATTEMPTS = ATTEMPT_POLICIES['crawl.frontier'].maxAttempts;

/** Returns whether the site of a run is down: the host of its seed, or the host the seed redirects to, is given up. */
export function isSiteDown({
  seed,
  home,
  givenUp,
}: Pick<Run, 'seed' | 'home'> & { readonly givenUp: readonly string[] }) {
  const host = URL.parse(seed)?.host ?? '';
  return givenUp.includes(home ?? host);
}
