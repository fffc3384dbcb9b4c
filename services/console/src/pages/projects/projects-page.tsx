import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { ProjectSummary } from '@tidemark/sdk';
import { Play, Plus } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useRead } from '../../api/queries.ts';
import { useCan } from '../../api/session.ts';
import { Button, buttonClass } from '../../parts/button.tsx';
import { Select, TextField } from '../../parts/field.tsx';
import { PageHead, Panel } from '../../parts/panel.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { VirtualTable } from '../../parts/virtual-table.tsx';
import { words } from '../../words/words.ts';
import { CopySettings } from './copy-settings.tsx';
import { projectColumns } from './project-columns.tsx';
import { HEALTHS, ORDERS } from './projects-view.ts';
import { selectProjects } from './select-projects.ts';
import { useStartRuns } from './use-start-runs.ts';

const { projects: texts, overview } = words;
const REFRESH_MS = 15_000;
const HEALTH_CHOICES = [
  { value: '', text: texts.allHealth },
  ...HEALTHS.map((value) => ({ value, text: words.health[value] })),
] as const;

/** All projects: filter, order, start of runs. */
export function ProjectsPage() {
  const projects = useRead('GET /projects', { query: { limit: 0 } }, { refetchInterval: REFRESH_MS });
  const canWrite = useCan('write');
  return (
    <>
      <PageHead
        title={texts.title}
        note={projects.data === undefined ? undefined : words.counts.projects(projects.data.data.length)}
        actions={
          canWrite ? (
            <Link to="/projects/new" className={buttonClass('primary')}>
              <Plus aria-hidden size={16} />
              {texts.watch}
            </Link>
          ) : undefined
        }
      />
      <Panel flush>
        <Loaded of={projects}>
          {({ data }) =>
            data.length === 0 ? (
              <Empty title={overview.firstTitle} hint={overview.firstHint} scene="first">
                {canWrite ? (
                  <Link to="/projects/new" className={buttonClass('primary')}>
                    {texts.watch}
                  </Link>
                ) : null}
              </Empty>
            ) : (
              <ProjectTable all={data} canWrite={canWrite} />
            )
          }
        </Loaded>
      </Panel>
    </>
  );
}

function ProjectTable({ all, canWrite }: { all: readonly ProjectSummary[]; canWrite: boolean }) {
  const view = useSearch({ from: '/projects' });
  const navigate = useNavigate({ from: '/projects' });
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const start = useStartRuns();
  const rows = selectProjects(all, view);
  const isAll = rows.length > 0 && rows.every(({ id }) => chosen.has(id));
  const toggle = (id: string) =>
    setChosen((was) => (was.has(id) ? new Set([...was].filter((one) => one !== id)) : new Set([...was, id])));
  const choice = { chosen, toggle, isAll, toggleAll: () => setChosen(new Set(isAll ? [] : rows.map(({ id }) => id))) };
  const clear = () => setChosen(new Set());
  return (
    <>
      <Filters tags={tagsOf(all)}>
        {chosen.size === 0 ? null : (
          <div className="ms-auto flex flex-wrap items-center gap-3">
            <span className="text-muted">{texts.chosen(words.counts.projects(chosen.size))}</span>
            <CopySettings all={all} chosen={chosen} onDone={clear} />
            <Button onClick={() => void start(all.filter(({ id }) => chosen.has(id))).then(clear)}>
              <Play aria-hidden size={16} />
              {texts.runChosen}
            </Button>
          </div>
        )}
      </Filters>
      {rows.length === 0 ? (
        <Empty title={texts.none} hint={texts.noneHint}>
          <Link to="/projects" className={buttonClass()}>
            {texts.clear}
          </Link>
        </Empty>
      ) : (
        <VirtualTable
          label={texts.title}
          columns={projectColumns(choice, canWrite ? (project) => void start([project]) : undefined)}
          rows={rows}
          keyOf={({ id }) => id}
          order={view.sort}
          onOrder={(sort) =>
            void navigate({ search: { ...view, sort: ORDERS.find((one) => one === sort) }, replace: true })
          }
        />
      )}
    </>
  );
}

/** Returns the tags of projects, in the order of the alphabet. */
const tagsOf = (all: readonly ProjectSummary[]): string[] =>
  [...new Set(all.flatMap(({ tags }) => tags))].sort((one, other) => one.localeCompare(other));

function Filters({ tags, children }: { tags: readonly string[]; children: ReactNode }) {
  const view = useSearch({ from: '/projects' });
  const navigate = useNavigate({ from: '/projects' });
  const change = (next: Partial<typeof view>) => void navigate({ search: { ...view, ...next }, replace: true });
  // A tag of the URL that no project has is a choice too.
  const shownTags = view.tag === undefined || tags.includes(view.tag) ? tags : [...tags, view.tag];
  return (
    <div className="flex flex-wrap items-center gap-2 p-3">
      <div className="w-64 max-w-full">
        <TextField
          label={texts.filter}
          hideLabel
          type="search"
          placeholder={texts.filter}
          value={view.q ?? ''}
          onChange={(event) => change({ q: event.target.value === '' ? undefined : event.target.value })}
        />
      </div>
      <div className="w-40">
        <Select
          label={texts.health}
          hideLabel
          value={view.health ?? ''}
          onValue={(value) => change({ health: value === '' ? undefined : value })}
          choices={HEALTH_CHOICES}
        />
      </div>
      {shownTags.length === 0 ? null : (
        <div className="w-40">
          <Select
            label={texts.tag}
            hideLabel
            value={view.tag ?? ''}
            onValue={(value) => change({ tag: value === '' ? undefined : value })}
            choices={[{ value: '', text: texts.allTags }, ...shownTags.map((tag) => ({ value: tag, text: tag }))]}
          />
        </div>
      )}
      {children}
    </div>
  );
}
