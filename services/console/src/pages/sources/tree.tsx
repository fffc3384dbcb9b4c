import type { Discovery, DiscoverySnapshot } from '@tidemark/sdk';
import { useRead } from '../../api/queries.ts';
import { useCan } from '../../api/session.ts';
import { useWrite } from '../../api/writes.ts';
import { act } from '../../parts/act.ts';
import { Button } from '../../parts/button.tsx';
import { Details } from '../../parts/details.tsx';
import { Panel } from '../../parts/panel.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { number } from '../../words/format.ts';
import { words } from '../../words/words.ts';
import { Entries } from './entries.tsx';
import { Files } from './files.tsx';
import { TreeDiff } from './tree-diff.tsx';

const { tree: texts } = words.sources;
/** A snapshot in progress ends by itself, ms. */
const REFRESH_MS = 2_000;

/** The stored sitemap tree of the site: its files, the URLs of each, and what changed since the previous snapshot. */
export function Tree({ project }: { project: string }) {
  const path = { id: project };
  const first = useRead('GET /projects/{id}/discovery', { path });
  const isRunning = first.data !== undefined && first.data.job !== null;
  const discovery = useRead(
    'GET /projects/{id}/discovery',
    { path },
    { refetchInterval: isRunning ? REFRESH_MS : false },
  );
  return (
    <Loaded of={discovery}>
      {(data) => (
        <>
          <Panel className="mb-4">
            <Snapshot project={project} data={data} />
          </Panel>
          {data.discovery === null ? null : <Stored project={project} snapshot={data.discovery} />}
        </>
      )}
    </Loaded>
  );
}

function Snapshot({ project, data }: { project: string; data: Discovery }) {
  const { send, isSending } = useWrite('POST /projects/{id}/discovery', ['GET /projects/{id}/discovery']);
  const canWrite = useCan('write');
  const start = () => void act(() => send({ path: { id: project }, body: {} }), texts.started);
  const button = canWrite ? (
    <Button kind="primary" disabled={isSending || data.job !== null} onClick={start}>
      {texts.start}
    </Button>
  ) : null;
  const running = data.job === null ? null : <p role="status">{texts.running}</p>;
  if (data.discovery === null)
    return (
      <Empty title={texts.none} hint={texts.noneHint}>
        {button}
        {running}
      </Empty>
    );
  const { takenAt, complete, totals, robots } = data.discovery;
  return (
    <>
      <Details
        items={[
          [texts.taken, <Time key="taken" at={takenAt} />],
          [texts.totals.files, number(totals.files)],
          [texts.totals.urls, number(totals.urls)],
          [texts.totals.indexes, number(totals.indexes)],
          [texts.totals.blocked, number(totals.blocked)],
          ...(robots === null ? [] : [[texts.robots, robotsText(robots)] as const]),
          ...(complete ? [] : [[texts.fileColumns.verdict, texts.incomplete] as const]),
        ]}
      />
      <div className="flex flex-wrap items-center gap-3">
        {button}
        <p className="text-xs text-muted">{texts.cost(words.counts.files(totals.files))}</p>
        {running}
      </div>
    </>
  );
}

const robotsText = ({ found, sitemaps }: NonNullable<DiscoverySnapshot['robots']>): string =>
  found ? texts.robotsFound(words.counts.sitemaps(sitemaps.length)) : texts.robotsMissing;

function Stored({ project, snapshot }: { project: string; snapshot: DiscoverySnapshot }) {
  return (
    <>
      <TreeDiff diff={snapshot.diff} />
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <Files files={snapshot.files} />
        <Entries project={project} />
      </div>
    </>
  );
}
