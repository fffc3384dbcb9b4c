import type { CoverageEstimate, SectionEstimate } from '@tidemark/contracts/crawl/v1/crawl';
import { SOURCES } from '../../domain/coverage-estimate/capture-histories.ts';
import {
  type CoverageEstimate as Estimate,
  estimateCoverage,
  type SectionEstimate as Section,
} from '../../domain/coverage-estimate/estimate-coverage.ts';
import type { Run } from '../../domain/run/run.ts';
import { EventLoopTurns } from '../../event-loop/event-loop-turns.ts';
import type { CoverageStore } from '../../store/ended-runs/coverage-store.ts';

const toSection = ({ section, found, read, estimate, why }: Section): SectionEstimate => ({
  section,
  found: Math.round(found),
  read,
  estimate,
  reason: why,
});

const toWire = ({ found, read, estimate, why, sections }: Estimate): CoverageEstimate => ({
  found: Math.round(found),
  read,
  estimate,
  reason: why,
  sections: sections.map(toSection),
});

/** Estimates the number of pages of the site of an ended run and stores it. Needs the link counts. Safe to repeat. */
export function makeNoteCoverage(store: Pick<CoverageStore, 'histories' | 'write'>) {
  return async (run: Pick<Run, 'no' | 'earlierNo' | 'scope'>): Promise<void> => {
    const histories = await store.histories(run);
    const estimate = await estimateCoverage(histories.cells(), SOURCES, new EventLoopTurns());
    await store.write(run.no, toWire(estimate));
  };
}
