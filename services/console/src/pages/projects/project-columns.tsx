import { Link } from '@tanstack/react-router';
import type { ProjectSummary } from '@tidemark/sdk';
import { Play } from 'lucide-react';
import { HealthBadge } from '../../parts/badge.tsx';
import { IconButton } from '../../parts/button.tsx';
import { scheduleText } from '../../parts/settings/schedule-text.ts';
import { SiteName } from '../../parts/site-name.tsx';
import { Time } from '../../parts/time.tsx';
import type { Column } from '../../parts/virtual-table.tsx';
import { number } from '../../words/format.ts';
import { words } from '../../words/words.ts';

const { projects: texts } = words;
const { columns: titles } = texts;

interface Choice {
  readonly chosen: ReadonlySet<string>;
  readonly toggle: (id: string) => void;
  readonly toggleAll: () => void;
  readonly isAll: boolean;
}

const nameOf = ({ name, seed }: ProjectSummary): string => name ?? seed;

const chooseColumn = ({ chosen, toggle, toggleAll, isAll }: Choice): Column<ProjectSummary> => ({
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
  cell: (project) => (
    <input
      type="checkbox"
      aria-label={texts.choose(nameOf(project))}
      checked={chosen.has(project.id)}
      onChange={() => toggle(project.id)}
      className="size-4 accent-accent"
    />
  ),
});

const COLUMNS: readonly Column<ProjectSummary>[] = [
  {
    key: 'site',
    title: titles.site,
    sort: 'site',
    cell: ({ id, name, seed }) => (
      <Link to="/projects/$project" params={{ project: id }} className="block hover:underline">
        <SiteName name={name} seed={seed} />
      </Link>
    ),
  },
  {
    key: 'tags',
    title: titles.tags,
    width: 160,
    wideOnly: true,
    cell: ({ tags }) => (
      <span dir="auto" className="block truncate text-muted" title={tags.join(', ')}>
        {tags.join(', ')}
      </span>
    ),
  },
  { key: 'health', title: titles.health, width: 116, cell: ({ health }) => <HealthBadge health={health} /> },
  {
    key: 'lastRun',
    title: titles.lastRun,
    width: 140,
    sort: 'lastRun',
    wideOnly: true,
    cell: ({ lastRun }) => <Time at={lastRun?.finishedAt} />,
  },
  {
    key: 'pages',
    title: titles.pages,
    width: 90,
    sort: 'pages',
    align: 'end',
    wideOnly: true,
    cell: ({ lastRun }) => (lastRun === null ? '' : number(lastRun.pages)),
  },
  {
    key: 'schedule',
    title: titles.schedule,
    width: 190,
    wideOnly: true,
    cell: ({ schedule }) =>
      schedule === 'manual' ? (
        <span className="text-muted">{words.runs.noSchedule}</span>
      ) : (
        <span className="block truncate" title={scheduleText(schedule)}>
          {scheduleText(schedule)}
        </span>
      ),
  },
  {
    key: 'nextRun',
    title: titles.nextRun,
    width: 130,
    sort: 'nextRun',
    wideOnly: true,
    cell: ({ nextRunAt }) => (nextRunAt === null ? '' : <Time at={nextRunAt} />),
  },
];

/** Returns the columns of the table of projects; those of actions only for people who may start runs. */
export function projectColumns(
  choice: Choice,
  run: ((project: ProjectSummary) => void) | undefined,
): readonly Column<ProjectSummary>[] {
  if (run === undefined) return COLUMNS;
  return [
    chooseColumn(choice),
    ...COLUMNS,
    {
      key: 'run',
      width: 56,
      align: 'end',
      title: <span className="sr-only">{texts.run}</span>,
      cell: (project) => (
        <IconButton label={texts.runOf(nameOf(project))} onClick={() => run(project)}>
          <Play aria-hidden size={16} />
        </IconButton>
      ),
    },
  ];
}
