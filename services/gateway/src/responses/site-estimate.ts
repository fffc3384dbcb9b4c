import type { NO_ESTIMATE_REASONS, RunCoverage, SiteEstimate } from '@tidemark/api';
import type { CoverageEstimate } from '@tidemark/contracts/crawl/v1/crawl';

type Reason = (typeof NO_ESTIMATE_REASONS)[number];

/** Converts an estimate to its REST fields; nulls where the run has none. */
export function estimateFieldsOf(coverage: CoverageEstimate | undefined): {
  readonly estimate: SiteEstimate | null;
  readonly estimateReason: Reason | null;
} {
  if (coverage === undefined) return { estimate: null, estimateReason: null };
  const { estimate, reason } = coverage;
  const sections = coverage.sections.map(({ section, found, read, ...of }) => ({
    section,
    found,
    read,
    estimate: of.estimate ?? null,
    estimateReason: of.reason ?? null,
  }));
  return {
    estimate: estimate === undefined ? null : { ...estimate, sections },
    estimateReason: reason ?? null,
  };
}

/** Converts the coverage of a run; null until it has ended. */
export function toRunCoverage(coverage: CoverageEstimate | undefined): RunCoverage | null {
  if (coverage === undefined) return null;
  const { found, read } = coverage;
  return { found, read, ...estimateFieldsOf(coverage) };
}
