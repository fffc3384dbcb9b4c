import type { IgnoredChange, IgnoredReason } from '@tidemark/api';
import { type IgnoredBlock, IgnoredReason as WireReason } from '@tidemark/contracts/diff/v1/diff';
import type { Project } from '@tidemark/contracts/projects/v1/projects';
import { AppError } from '@tidemark/errors';
import { VolatileOverrides } from '@tidemark/project-config';
import { timeOf } from '../../responses/job-envelope.ts';
import { oneOf } from '../../responses/one-of.ts';
import { OPS } from './change-response.ts';

/** Decisions of a configuration by place. */
export type Decisions = ReadonlyMap<string, boolean>;

interface ReasonText {
  readonly reason: IgnoredReason;
  readonly explanation: string;
}

const REASONS: Readonly<Partial<Record<WireReason, ReasonText>>> = {
  [WireReason.IGNORED_REASON_VOLATILE_SELECTOR]: {
    reason: 'volatile_selector',
    explanation: 'A selector of config.volatile_selectors matches the block.',
  },
  [WireReason.IGNORED_REASON_SELF_UPDATING]: {
    reason: 'self_updating',
    explanation: 'Only ages, counters, timestamps or the current date differ.',
  },
  [WireReason.IGNORED_REASON_ROTATING_LINKS]: {
    reason: 'rotating_links',
    explanation: 'Only random parts of link targets differ, on several links of the page.',
  },
  [WireReason.IGNORED_REASON_RECAPTURES_DIFFER]: {
    reason: 'recaptures_differ',
    explanation: 'It differed when the page was fetched again, a few seconds apart, after the first run.',
  },
  [WireReason.IGNORED_REASON_CHANGED_IN_THREE_COMPARISONS]: {
    reason: 'changed_in_three_comparisons',
    explanation: 'It changed in three comparisons of runs in a row.',
  },
  [WireReason.IGNORED_REASON_OVERRULED]: {
    reason: 'overruled',
    explanation: 'The configuration says that changes of this place are ignored.',
  },
};

export function toIgnoredChange(block: IgnoredBlock, decisions: Decisions): IgnoredChange {
  const why = REASONS[block.reason];
  if (why === undefined) throw new AppError('internal', `an ignored change has the unknown reason ${block.reason}`);
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
    reason: why.reason,
    explanation: why.explanation,
    place: block.place,
    since: block.since === undefined ? null : timeOf(block.since),
    comparisons: block.comparisons,
    changed: block.changed,
    ignore: decisions.get(block.place) ?? null,
  };
}

/** Returns the decisions in the configuration of a project. */
export function decisionsOf({ configJson }: Pick<Project, 'configJson'>): Decisions {
  const { volatile_overrides: listed } = JSON.parse(configJson === '' ? '{}' : configJson);
  const { data = [] } = VolatileOverrides.safeParse(listed);
  return new Map(data.map(({ place, ignore }) => [place, ignore]));
}
