import { Link } from '@tanstack/react-router';
import type { PageRow } from '@tidemark/sdk';
import { VerdictBadge } from '../../parts/badge.tsx';
import { pathOf } from '../../parts/site-name.tsx';
import { withoutSiteName } from '../../parts/site-name-in.ts';
import { Time } from '../../parts/time.tsx';
import type { Column } from '../../parts/virtual-table.tsx';
import { number } from '../../words/format.ts';
import { words } from '../../words/words.ts';

const { pages: texts } = words;
const { columns: titles } = texts;

interface Choice {
  readonly chosen: ReadonlySet<string>;
  readonly toggle: (url: string) => void;
  readonly toggleAll: () => void;
  readonly isAll: boolean;
}

const chooseColumn = ({ chosen, toggle, toggleAll, isAll }: Choice): Column<PageRow> => ({
  key: 'choose',
  width: 40,
  title: (
    <input
      type="checkbox"
      aria-label={texts.chooseAll}
      checked={isAll}
      onChange={toggleAll}
      className="size-4 accent-accent"
    />
  ),
  cell: ({ url }) => (
    <input
      type="checkbox"
      aria-label={texts.choose(pathOf(url))}
      checked={chosen.has(url)}
      onChange={() => toggle(url)}
      className="size-4 accent-accent"
    />
  ),
});

const VALUES: readonly Column<PageRow>[] = [
  { key: 'verdict', title: titles.verdict, width: 104, cell: ({ verdict }) => <VerdictBadge verdict={verdict} /> },
  {
    key: 'status',
    title: titles.status,
    width: 84,
    align: 'end',
    sort: 'httpStatus',
    wideOnly: true,
    cell: ({ httpStatus }) => httpStatus ?? '',
  },
  {
    key: 'words',
    title: titles.words,
    width: 90,
    align: 'end',
    sort: 'words',
    wideOnly: true,
    cell: ({ words: length }) => number(length),
  },
  {
    key: 'depth',
    title: titles.depth,
    width: 84,
    align: 'end',
    sort: 'depth',
    wideOnly: true,
    cell: ({ depth }) => depth ?? '',
  },
  {
    key: 'credits',
    title: titles.credits,
    width: 90,
    align: 'end',
    sort: 'credits',
    wideOnly: true,
    cell: ({ credits }) => number(credits),
  },
  {
    key: 'read',
    title: titles.read,
    width: 140,
    sort: 'crawledAt',
    wideOnly: true,
    cell: ({ crawledAt }) => <Time at={crawledAt} />,
  },
];

/** Returns the columns of the table of pages. */
export function pageColumns(
  project: string,
  run: string | undefined,
  choice: Choice | undefined,
  siteName: string,
): readonly Column<PageRow>[] {
  return [
    ...(choice === undefined ? [] : [chooseColumn(choice)]),
    {
      key: 'page',
      title: titles.page,
      sort: 'url',
      cell: ({ url, title }) => (
        <Link
          to="/projects/$project/page"
          params={{ project }}
          search={{ url, run }}
          className="block min-w-0 hover:underline"
        >
          <span dir="auto" className="block truncate">
            {title === null ? pathOf(url) : withoutSiteName(title, siteName)}
          </span>
          <span dir="ltr" className="block truncate text-xs text-muted">
            {pathOf(url)}
          </span>
        </Link>
      ),
    },
    ...VALUES,
  ];
}
