import { RowWriter } from '../documents/row-writer.ts';
import type { MapJob } from '../domain/job.ts';
import { Scope } from '../domain/scope.ts';
import { type Findings, isRead, type SiteFile, type Totals } from '../domain/tree.ts';
import { readRobots, type SiteRobots } from '../web/read-robots.ts';
import { type Charge, CreditBudget, type Lease } from './credit-budget.ts';
import type { FetchContext, ReadFileDeps } from './read-file.ts';
import { NOT_FOUND, PAGE_TIMEOUT_MS, SourceSearch } from './source-search.ts';
import { TreeWalk } from './tree-walk.ts';

export interface MapSiteDeps extends ReadFileDeps {
  /** Name for which robots.txt rules are applied. */
  readonly robotsToken: string;
  readonly lease: Lease;
}

export interface MapLimits {
  readonly signal: AbortSignal;
  readonly remainingMs: () => number;
  readonly onProgress: (done: number, total: number) => void;
}

export interface MapResult {
  readonly findings: Findings;
  readonly rows: number;
  /** SHA-256 of the row documents, in order. */
  readonly rowBlobs: readonly string[];
  /** The first row documents, as many as one response may contain. */
  readonly documents: readonly Buffer[];
  readonly charges: readonly Charge[];
}

/**
 * Maps one site: reads robots.txt, then its sitemaps, feeds or front page links, and stores rows and entries as documents. A failure of
 * the site is part of the result.
 * @throws errors of this service, and the signal's reason
 */
export async function mapSite(deps: MapSiteDeps, job: MapJob, limits: MapLimits): Promise<MapResult> {
  const { options, url, chargeId } = job;
  const { signal, remainingMs, onProgress } = limits;
  const timeoutMs = Math.min(PAGE_TIMEOUT_MS, remainingMs());
  const robots = await readRobots(deps.open, deps.robotsToken, url, { signal, timeoutMs, maxWaitMs: remainingMs() });

  const scope = new Scope(new URL(url), options.allowSubdomains);
  if (robots.report.found) scope.addHost(new URL(robots.landedUrl));
  const delayMs = (robots.report.crawlDelay ?? 0) * 1_000;
  const context: FetchContext = { scope, delayMs, signal, remainingMs };
  const budget = new CreditBudget(chargeId, options.forCrawl ? unlimited : deps.lease);
  const rows = new RowWriter(deps.documents, options);
  const walk = new TreeWalk({ open: deps.open, documents: deps.documents, budget, rows, onProgress }, context);

  const search = new SourceSearch({ deps, context, robots, walk, rows });
  const found = isSiteDown(robots)
    ? { ...NOT_FOUND, refusal: 'site_down' as const, reason: robots.report.reason }
    : await search.run(url, options.sitemapMode);
  await rows.flush();

  const findings: Findings = {
    files: walk.files,
    totals: totalsOf(walk.files, rows.urlCount),
    robots: robots.report,
    method: found.method,
    stop: walk.stop,
    refusal: found.refusal,
    error: found.reason,
  };
  return {
    findings,
    rows: rows.rowCount,
    rowBlobs: rows.documentNames,
    documents: rows.firstDocuments,
    charges: options.forCrawl ? [] : budget.charges(),
  };
}

/** Lease of a map that is not charged. */
const unlimited: Lease = async (_id, credits) => credits;

/** RFC 9309 2.3.1.4: if robots.txt is unreachable, nothing of the site may be fetched. */
const isSiteDown = ({ isUnreachable, report }: SiteRobots): boolean =>
  isUnreachable || report.status === 429 || report.status >= 500;

function totalsOf(files: readonly SiteFile[], urls: number): Totals {
  const read = files.filter(isRead);
  return {
    files: read.length,
    urls,
    indexes: read.filter(({ kind }) => kind === 'index').length,
    blocked: files.filter(({ verdict }) => verdict === 'blocked').length,
  };
}
