import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { Dataset } from '@tidemark/sdk';
import { Download, Plus } from 'lucide-react';
import { useState } from 'react';
import { useRead } from '../../api/queries.ts';
import { useCan } from '../../api/session.ts';
import { Button, buttonClass } from '../../parts/button.tsx';
import { DestinationTable } from '../../parts/destination-table.tsx';
import { Select } from '../../parts/field.tsx';
import { formatName } from '../../parts/format-names.ts';
import { PageHead, Panel } from '../../parts/panel.tsx';
import { RunPicker } from '../../parts/run-picker.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { words } from '../../words/words.ts';
import { aboutDataset, datasetTitle } from './dataset-words.ts';
import { DownloadDialog } from './download-dialog.tsx';
import { exportUrl, PLAIN } from './export-url.ts';

const { exports: texts } = words;
const FROM = '/projects/$project/exports';

/** Downloads of a project, and the destinations that write it. */
export function ExportsPage() {
  const { project: id } = useParams({ from: FROM });
  const project = useRead('GET /projects/{id}', { path: { id } });
  const catalogue = useRead('GET /exports', {});
  const view = useSearch({ from: FROM });
  const navigate = useNavigate({ from: FROM });
  return (
    <>
      <PageHead
        title={texts.title}
        actions={<RunPicker project={id} run={view.run} onRun={(run) => void navigate({ search: { ...view, run } })} />}
      />
      <Panel title={texts.datasets} className="mb-4">
        <Loaded of={project}>
          {({ lastRun }) =>
            lastRun === null ? (
              <Empty title={texts.none} hint={texts.noneHint} />
            ) : (
              <Loaded of={catalogue}>{({ data }) => <Datasets datasets={data} />}</Loaded>
            )
          }
        </Loaded>
      </Panel>
      <ProjectDestinations id={id} />
    </>
  );
}

function Datasets({ datasets }: { datasets: readonly Dataset[] }) {
  const { project } = useParams({ from: FROM });
  const view = useSearch({ from: FROM });
  const navigate = useNavigate({ from: FROM });
  const chosen = datasets.find(({ name }) => name === view.dataset);
  const open = (dataset: string | undefined) => void navigate({ search: { ...view, dataset } });
  return (
    <>
      <ul>
        {datasets.map((dataset) => (
          <DatasetRow key={dataset.name} dataset={dataset} onOptions={() => open(dataset.name)} />
        ))}
      </ul>
      {chosen === undefined ? null : (
        <DownloadDialog
          project={project}
          dataset={chosen}
          start={{ q: view.q ?? '', run: view.run }}
          onClose={() => open(undefined)}
        />
      )}
    </>
  );
}

function DatasetRow({ dataset, onOptions }: { dataset: Dataset; onOptions: () => void }) {
  const { project } = useParams({ from: FROM });
  const { run } = useSearch({ from: FROM });
  const { name, formats } = dataset;
  const [format, setFormat] = useState<string>(formats[0] ?? 'jsonl');
  return (
    <li className="flex flex-wrap items-center gap-3 max-sm:gap-2 border-t border-line py-3 first:border-t-0 first:pt-0 last:pb-0">
      <div className="min-w-0 flex-1 basis-64">
        <p className="font-medium">{datasetTitle(name)}</p>
        <p className="text-xs text-muted">{aboutDataset(dataset)}</p>
      </div>
      <div className="w-32 max-sm:min-w-20 max-sm:flex-1">
        <Select
          label={`${texts.format}: ${name}`}
          hideLabel
          value={format}
          onValue={setFormat}
          choices={formats.map((value) => ({ value, text: formatName(value) }))}
        />
      </div>
      <Button onClick={onOptions} aria-label={texts.optionsOf(name)}>
        {texts.options}
      </Button>
      <a
        href={exportUrl(project, { ...PLAIN, dataset: name, format, run })}
        download
        aria-label={texts.downloadOf(name)}
        className={buttonClass()}
      >
        <Download aria-hidden size={16} />
        {texts.download}
      </a>
    </li>
  );
}

function ProjectDestinations({ id }: { id: string }) {
  const canAdmin = useCan('admin');
  // Destinations of the workspace write this project as well.
  const destinations = useRead('GET /destinations', { query: { limit: 1_000 } });
  return (
    <Panel
      title={texts.destinations}
      flush
      actions={
        canAdmin ? (
          <Link to="/destinations/new" search={{ project: id }} className={buttonClass()}>
            <Plus aria-hidden size={16} />
            {texts.add}
          </Link>
        ) : undefined
      }
    >
      <Loaded of={destinations}>
        {({ data }) => {
          const own = data.filter(({ scope, projects, projectId }) =>
            projectId === null ? scope === 'all' || projects.includes(id) : projectId === id,
          );
          return own.length === 0 ? (
            <Empty title={texts.noDestinations} hint={texts.noDestinationsHint} />
          ) : (
            <DestinationTable rows={own} project={id} />
          );
        }}
      </Loaded>
    </Panel>
  );
}
