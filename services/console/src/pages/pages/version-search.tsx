import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Result } from '@tidemark/sdk';
import { Search, X } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { client } from '../../api/client.ts';
import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/field.tsx';
import { pathOf } from '../../parts/site-name.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { date, number } from '../../words/format.ts';
import { words } from '../../words/words.ts';

const { versions: texts } = words.pages;
const ROUTE = 'POST /projects/{id}/pages/search';
const PAGE_ROWS = 25;
/** Parts of a scan that are read for one press of the button: a part without a result is followed by the next. */
const MAX_PARTS = 20;

type Found = Result<typeof ROUTE>;
type FoundPage = Found['data'][number];
type Interval = NonNullable<FoundPage['intervals']>[number];

/** Reads parts of the scan until one has results. */
async function searchOn(id: string, q: string, from: string, signal: AbortSignal): Promise<Found> {
  let cursor = from;
  for (let part = 1; ; part += 1) {
    const body = { q, across: 'versions', limit: PAGE_ROWS, ...(cursor === '' ? {} : { cursor }) } as const;
    const found = await client.send(ROUTE, { path: { id }, body, signal });
    if (found.data.length > 0 || found.cursor === null || part === MAX_PARTS) return found;
    cursor = found.cursor;
  }
}

interface BarProps {
  readonly value: string;
  readonly onApply: (text: string | undefined) => void;
}

/** The words that are searched in every stored version. */
export function VersionBar({ value, onApply }: BarProps) {
  const [text, setText] = useState(value);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onApply(text.trim() === '' ? undefined : text.trim());
  };
  return (
    <search className="block">
      <form aria-label={texts.title} onSubmit={submit} className="flex min-w-0 items-end gap-2">
        <div className="min-w-0 flex-1">
          <TextField
            label={texts.title}
            hideLabel
            dir="auto"
            placeholder={texts.placeholder}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </div>
        <Button type="submit">
          <Search aria-hidden size={16} />
          {texts.search}
        </Button>
        {value === '' ? null : (
          <Button kind="quiet" onClick={() => onApply(undefined)}>
            <X aria-hidden size={16} />
            {texts.clear}
          </Button>
        )}
      </form>
    </search>
  );
}

/** The pages that contained some words in any stored version, each with the intervals in which it did. */
export function VersionResults({ project, q }: { readonly project: string; readonly q: string }) {
  const results = useInfiniteQuery({
    queryKey: ['versions', project, q],
    initialPageParam: '',
    queryFn: ({ signal, pageParam }) => searchOn(project, q, pageParam, signal),
    getNextPageParam: (last: Found) => last.cursor ?? undefined,
  });
  return (
    <Loaded of={results}>
      {({ pages }) => {
        const rows = pages.flatMap(({ data }) => data);
        const scanned = pages.reduce((sum, part) => sum + part.scanned, 0);
        const completeSince = pages[0]?.completeSince ?? null;
        return (
          <>
            <p className="px-4 pb-2 text-xs text-muted" role="status">
              {texts.scanned(number(rows.length), number(scanned))}
              {completeSince === null ? null : ` ${texts.completeSince(date(completeSince))}`}
            </p>
            {rows.length === 0 && !results.hasNextPage ? <Empty title={texts.none} hint={texts.noneHint} /> : null}
            <ul className="divide-y divide-line border-t border-line">
              {rows.map((page) => (
                <FoundItem key={page.url} project={project} page={page} />
              ))}
            </ul>
            {results.hasNextPage ? (
              <div className="p-3">
                <Button disabled={results.isFetchingNextPage} onClick={() => void results.fetchNextPage()}>
                  {texts.more}
                </Button>
              </div>
            ) : null}
          </>
        );
      }}
    </Loaded>
  );
}

function FoundItem({ project, page }: { readonly project: string; readonly page: FoundPage }) {
  const { url, title, intervals } = page;
  return (
    <li className="px-4 py-3">
      <Link
        to="/projects/$project/page"
        params={{ project }}
        search={{ url, tab: 'history' }}
        className="anywhere font-medium hover:underline"
      >
        <bdi>{title ?? pathOf(url)}</bdi>
      </Link>
      <p dir="ltr" className="anywhere text-xs text-muted">
        {pathOf(url)}
      </p>
      <ul className="mt-2 grid gap-2">
        {intervals?.map((interval) => (
          <li key={interval.pageId} className="border-s-2 border-s-edge ps-3">
            <p className="text-sm">{periodOf(interval)}</p>
            {interval.excerpts.slice(0, 1).map(({ text, marks }) => (
              <p key={text} dir="auto" className="anywhere text-sm text-muted">
                <Marked text={text} marks={marks} />
              </p>
            ))}
          </li>
        ))}
      </ul>
    </li>
  );
}

const periodOf = ({ firstSeen, lastSeen, goneSeen }: Interval): string =>
  goneSeen === null ? texts.still(date(firstSeen)) : texts.from(date(firstSeen), date(lastSeen), date(goneSeen));

interface MarkedProps {
  readonly text: string;
  readonly marks: Interval['excerpts'][number]['marks'];
}

/** A text with its matches marked. */
function Marked({ text, marks }: MarkedProps) {
  const starts = marks.map((_, at) => marks[at - 1]?.to ?? 0);
  return (
    <>
      {marks.map(({ from, to }, at) => (
        <span key={from}>
          {text.slice(starts[at], from)}
          <mark>{text.slice(from, to)}</mark>
        </span>
      ))}
      {text.slice(marks.at(-1)?.to ?? 0)}
    </>
  );
}
