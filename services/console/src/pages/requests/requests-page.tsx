import { useNavigate, useSearch } from '@tanstack/react-router';
import type { FailureGroup, LoggedRequest } from '@tidemark/sdk';
import { useList } from '../../api/lists.ts';
import { useRead } from '../../api/queries.ts';
import { useMore } from '../../api/use-more.ts';
import { Badge, type Tone } from '../../parts/badge.tsx';
import { TextField } from '../../parts/field.tsx';
import { PageHead, Panel } from '../../parts/panel.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { Time } from '../../parts/time.tsx';
import { type Column, VirtualTable } from '../../parts/virtual-table.tsx';
import { duration, number } from '../../words/format.ts';
import { words } from '../../words/words.ts';
import { readFilter } from './read-filter.ts';
import { REQUEST_TABS } from './request-tabs.ts';

const { requests: texts } = words;
const { columns: titles } = texts;

const toneOf = (status: number): Tone => (status >= 500 ? 'bad' : status >= 400 ? 'warn' : 'good');

const COLUMNS: readonly Column<LoggedRequest>[] = [
  { key: 'at', title: titles.at, width: 130, cell: ({ at }) => <Time at={at} /> },
  {
    key: 'status',
    title: titles.status,
    width: 80,
    cell: ({ status }) => <Badge tone={toneOf(status)}>{status}</Badge>,
  },
  {
    key: 'request',
    title: titles.request,
    cell: ({ method, path, code, message }) => (
      <>
        <span dir="ltr" className="block truncate font-mono text-xs" title={path}>
          {method} {path}
        </span>
        {code === null ? null : (
          <span dir="auto" className="block truncate text-xs text-muted" title={message ?? code}>
            {code}: {message}
          </span>
        )}
      </>
    ),
  },
  {
    key: 'key',
    title: titles.key,
    width: 130,
    wideOnly: true,
    cell: ({ key, keyId }) => (
      <span className="block truncate" title={keyId}>
        {key || keyId}
      </span>
    ),
  },
  {
    key: 'duration',
    title: titles.duration,
    width: 90,
    align: 'end',
    wideOnly: true,
    cell: ({ durationMs }) => duration(durationMs),
  },
  {
    key: 'credits',
    title: titles.credits,
    width: 80,
    align: 'end',
    wideOnly: true,
    cell: ({ creditsUsed }) => (creditsUsed === null ? '' : number(creditsUsed)),
  },
  {
    key: 'id',
    title: titles.id,
    width: 230,
    wideOnly: true,
    cell: ({ request_id }) => (
      <span dir="ltr" className="block truncate font-mono text-xs" title={request_id}>
        {request_id}
      </span>
    ),
  },
];

const FAILURE_COLUMNS: readonly Column<FailureGroup>[] = [
  { key: 'count', title: titles.count, width: 80, align: 'end', cell: ({ count }) => number(count) },
  {
    key: 'status',
    title: titles.status,
    width: 80,
    cell: ({ status }) => <Badge tone={toneOf(status)}>{status}</Badge>,
  },
  {
    key: 'error',
    title: titles.error,
    cell: ({ route, code, message }) => (
      <>
        <span dir="ltr" className="block truncate font-mono text-xs">
          {route ?? texts.noRoute}
        </span>
        <span dir="auto" className="block truncate text-xs text-muted" title={message}>
          {code}: {message}
        </span>
      </>
    ),
  },
  { key: 'last', title: titles.last, width: 130, wideOnly: true, cell: ({ lastAt }) => <Time at={lastAt} /> },
  {
    key: 'id',
    title: titles.id,
    width: 230,
    wideOnly: true,
    cell: ({ request_id }) => (
      <span dir="ltr" className="block truncate font-mono text-xs" title={request_id}>
        {request_id}
      </span>
    ),
  },
];

/** Requests of the keys of the workspace in the last days, and why some failed. */
export function RequestsPage() {
  const { tab = 'all', q } = useSearch({ from: '/requests' });
  const navigate = useNavigate({ from: '/requests' });
  return (
    <>
      <PageHead title={texts.title} />
      <Tabs
        label={texts.title}
        tabs={REQUEST_TABS.map((key) => ({ key, text: texts.tabs[key] }))}
        current={tab}
        onChoose={(key) => void navigate({ search: { tab: key, q } })}
      >
        {tab === 'all' ? (
          <Requests
            q={q ?? ''}
            onFilter={(text) => void navigate({ search: { tab, q: text || undefined }, replace: true })}
          />
        ) : (
          <FailureGroups />
        )}
      </Tabs>
    </>
  );
}

function Requests({ q, onFilter }: { q: string; onFilter: (text: string) => void }) {
  const requests = useList('GET /me/requests', { query: { limit: 200, ...readFilter(q) } });
  const more = useMore(requests);
  return (
    <Panel title={texts.newest} flush>
      <div className="w-96 max-w-full px-4 pb-3">
        <TextField
          label={texts.filter}
          hint={texts.filterHint}
          type="search"
          value={q}
          onChange={(event) => onFilter(event.target.value)}
        />
      </div>
      <Loaded of={requests}>
        {({ pages }) => {
          const rows = pages.flatMap(({ data }) => data);
          return rows.length === 0 ? (
            <Empty title={texts.none} hint={texts.noneHint} />
          ) : (
            <VirtualTable label={texts.newest} columns={COLUMNS} rows={rows} keyOf={({ id }) => id} onEnd={more} />
          );
        }}
      </Loaded>
    </Panel>
  );
}

function FailureGroups() {
  const failures = useRead('GET /me/requests/failures', {});
  return (
    <Panel title={texts.grouped} flush>
      <Loaded of={failures}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title={texts.noFailure} hint={texts.noFailureHint} />
          ) : (
            <VirtualTable
              label={texts.grouped}
              columns={FAILURE_COLUMNS}
              rows={data}
              keyOf={({ route, status, code }) => `${route} ${status} ${code}`}
            />
          )
        }
      </Loaded>
    </Panel>
  );
}
