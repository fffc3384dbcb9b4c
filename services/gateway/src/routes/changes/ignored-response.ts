import type { IgnoredChange, IgnoredReason } from '@tidemark/api';
import type { IgnoredBlock } from '@tidemark/contracts/diff/v1/diff';
import type { Project } from '@tidemark/contracts/projects/v1/projects';
import { timeOf } from '../../responses/job-envelope.ts';
import { oneOf } from '../../responses/one-of.ts';
import { OPS } from './change-response.ts';

/** Decisions of a configuration by place. */
export type Decisions = ReadonlyMap<string, boolean>;

const EXPLANATIONS: Readonly<Record<IgnoredReason, string>> = {
  volatile_selector: 'A selector of config.volatile_selectors matches the block.',
  self_updating: 'Only ages, counters, timestamps or the current date differ.',
  rotating_links: 'Only random parts of link targets differ, on several links of the page.',
  recaptures_differ: 'It differed when the page was fetched again, a few seconds apart, after the first run.',
  changed_in_three_comparisons: 'It changed in three comparisons of runs in a row.',
  overruled: 'The configuration says that changes of this place are ignored.',
};

export function toIgnoredChange(block: IgnoredBlock, decisions: Decisions): IgnoredChange {
  const reason = block.reason;
  return {
    id: block.id,
    runId: block.runId,
    url: block.url,
    op: oneOf(OPS, block.op),
    section: block.section,
    landmark: block.landmark,
    field: block.field ?? null,
    before: block.before ?? null,
    after: block.after ?? null,
    truncated: block.truncated,
    reason,
    explanation: EXPLANATIONS[reason],
    place: block.place,
    since: block.since === undefined ? null : timeOf(block.since),
    comparisons: block.comparisons,
    changed: block.changed,
    ignore: decisions.get(block.place) ?? null,
  };
}

/** Returns the decisions in the configuration of a project. */
export const decisionsOf = ({ config }: Pick<Project, 'config'>): Decisions =>
  new Map(config?.volatileOverrides?.values.map(({ place, ignore }) => [place, ignore]));
