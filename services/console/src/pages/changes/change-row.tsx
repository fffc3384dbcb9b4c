import type { Change } from '@tidemark/sdk';
import { ArrowRight, BellRing, Check } from 'lucide-react';
import { memo } from 'react';
import { pathOf } from '../../parts/site-name.tsx';
import { withoutSiteName } from '../../parts/site-name-in.ts';
import { number } from '../../words/format.ts';
import { words } from '../../words/words.ts';
import { type Edit, editsOf, textOf } from './edits-of.ts';

const { changes: texts } = words;
const SHOWN_EDITS = 2;
export const KIND_COLOURS: Readonly<Record<string, string>> = {
  added: 'text-good',
  removed: 'text-bad',
  modified: 'text-warn',
  template: 'text-warn',
};
/** Height of a row, px: a list of thousands places them without measuring. */
export const ROW_PX = 68;

/** Returns what a change is named by: the page, or the pages that share the edit. */
export function titleOf({ title, url, kind, template, section }: Change, siteName = ''): string {
  if (kind === 'template') return texts.onPages(words.counts.pages(template?.pages ?? 0));
  return title === null ? (section === '' ? pathOf(url) : section) : withoutSiteName(title, siteName);
}

/** One edit: the words before and after. */
const EditText = ({ edit: { old, now } }: { edit: Edit }) => (
  <span dir="auto" className="inline-flex min-w-12 items-center gap-1.5">
    {old === null ? null : <del className="truncate">{old}</del>}
    {old === null || now === null ? null : <ArrowRight aria-hidden size={12} className="shrink-0 text-muted" />}
    {now === null ? null : <ins className="truncate">{now}</ins>}
  </span>
);

/** The beginning of the text of a page that was added or removed, without the title, which the row has already. */
function WholeText({ change }: { change: Change }) {
  const text = textOf(change);
  return (
    <span dir="auto" className="whole-text truncate text-muted">
      {change.kind === 'removed' ? <del>{text}</del> : <ins>{text}</ins>}
    </span>
  );
}

interface Props {
  readonly change: Change;
  readonly isCurrent: boolean;
  /** What the titles of the list end in. */
  readonly siteName: string;
  readonly choose: (id: string) => void;
}

/** A change in the list: page, the changed words, kind and weight. */
export const ChangeRow = memo(function ChangeRow({ change, isCurrent, siteName, choose }: Props) {
  const { id, url, kind, wordsAdded, wordsRemoved, reviewed, explanation, alerts } = change;
  const isWhole = kind === 'added' || kind === 'removed';
  const { shown, more } = editsOf(change, SHOWN_EDITS);
  const isDoubt = kind === 'withheld' || kind === 'unverified';
  return (
    <button
      type="button"
      aria-current={isCurrent}
      onClick={() => choose(id)}
      style={{ height: ROW_PX }}
      className="grid w-full grid-cols-[minmax(0,1fr)_auto] content-center gap-x-3 gap-y-1 border-s-2 border-b border-s-transparent border-b-line px-4 text-start text-sm hover:bg-hover focus-visible:-outline-offset-2 aria-[current=true]:border-s-accent aria-[current=true]:bg-selected"
    >
      <span className="flex min-w-0 items-baseline gap-2">
        <span dir="auto" className={`truncate ${reviewed ? 'text-muted' : 'font-medium'}`}>
          {titleOf(change, siteName)}
        </span>
        <span dir="ltr" className="min-w-0 shrink-[3] truncate text-xs text-muted">
          {pathOf(url)}
        </span>
      </span>
      <span className="flex items-center justify-end gap-1.5 text-xs text-muted tabular-nums">
        {alerts.length === 0 ? null : (
          <BellRing
            role="img"
            aria-label={texts.alerts(alerts.map(({ name }) => name).join(', '))}
            size={14}
            className="text-warn"
          />
        )}
        {reviewed ? <Check role="img" aria-label={texts.reviewed} size={14} className="text-accent" /> : null}
        {wordsAdded + wordsRemoved === 0 ? null : (
          <>
            <span aria-hidden>{texts.words(number(wordsAdded), number(wordsRemoved))}</span>
            <span className="sr-only">
              {texts.wordsLong(words.counts.words(wordsAdded), words.counts.words(wordsRemoved))}
            </span>
          </>
        )}
      </span>
      <span className="flex min-w-0 items-center gap-2 overflow-hidden">
        {isWhole ? <WholeText change={change} /> : null}
        {isWhole
          ? null
          : shown.map((edit, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the edits of a change are constant
              <EditText key={at} edit={edit} />
            ))}
        {more === 0 || isWhole ? null : (
          <span className="shrink-0 text-xs text-muted">{texts.moreEdits(number(more))}</span>
        )}
        {shown.length === 0 ? (
          <span className="truncate text-muted">{isDoubt ? (explanation ?? '') : texts.otherEdit}</span>
        ) : null}
      </span>
      <span className={`text-end text-xs ${KIND_COLOURS[kind] ?? 'text-muted'}`}>{texts.kinds[kind]}</span>
    </button>
  );
});
