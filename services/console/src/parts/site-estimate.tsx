import type { RunDetail } from '@tidemark/sdk';
import { exactShare, number } from '../words/format.ts';
import { words } from '../words/words.ts';

const { coverage: texts } = words;
const SHOWN_SECTIONS = 8;

type Coverage = NonNullable<RunDetail['coverage']>;
type Interval = Pick<NonNullable<Coverage['estimate']>, 'pages' | 'low' | 'high' | 'readShare'>;

const sentenceOf = ({ pages, low, high, readShare }: Interval): string =>
  texts.estimate(number(pages), number(low), number(high), exactShare(readShare));

/** The estimated number of pages of a site in one sentence, or why there is none. */
export function EstimateLine({ estimate, estimateReason }: Pick<Coverage, 'estimate' | 'estimateReason'>) {
  if (estimate !== null) return <p title={texts.hint}>{sentenceOf(estimate)}</p>;
  return estimateReason === null ? null : <p className="text-muted">{texts.none[estimateReason]}</p>;
}

/** The estimates of the largest sections. */
export function SectionEstimates({ estimate }: Pick<Coverage, 'estimate'>) {
  if (estimate === null || estimate.sections.length < 2) return null;
  return (
    <dl className="mt-2 grid gap-1 text-muted" aria-label={texts.sections}>
      {estimate.sections.slice(0, SHOWN_SECTIONS).map(({ section, found, read, estimate: of }) => (
        <div key={section} className="flex gap-3">
          <dt dir="ltr" className="w-32 shrink-0 truncate">
            {section || texts.others}
          </dt>
          <dd>{of === null ? texts.found(number(found), number(read)) : sentenceOf(of)}</dd>
        </div>
      ))}
    </dl>
  );
}
