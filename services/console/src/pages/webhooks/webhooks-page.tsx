import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { Channel } from '@tidemark/sdk';
import { Send } from 'lucide-react';
import { useList } from '../../api/lists.ts';
import { useCan } from '../../api/session.ts';
import { useMore } from '../../api/use-more.ts';
import { Badge } from '../../parts/badge.tsx';
import { IconButton } from '../../parts/button.tsx';
import { DeliveryTable } from '../../parts/delivery-table.tsx';
import { PageHead, Panel } from '../../parts/panel.tsx';
import { SiteName } from '../../parts/site-name.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { useTestWebhook } from '../../parts/use-test-webhook.ts';
import { type Column, VirtualTable } from '../../parts/virtual-table.tsx';
import { number } from '../../words/format.ts';
import { words } from '../../words/words.ts';

const { webhooks: texts } = words;
const { columns: titles } = texts;
const TONES = { ok: 'good', failing: 'warn', paused: 'bad', never: 'idle' } as const;

/** Webhooks and chat channels of all projects, and everything that was sent. */
export function WebhooksPage() {
  const view = useSearch({ from: '/webhooks' });
  const navigate = useNavigate({ from: '/webhooks' });
  return (
    <>
      <PageHead title={texts.title} />
      <Channels />
      <DeliveryTable view={view} onView={(search) => void navigate({ search, replace: true, resetScroll: false })} />
    </>
  );
}

function Channels() {
  const channels = useList('GET /webhooks', { query: { limit: 200 } });
  const more = useMore(channels);
  const canWrite = useCan('write');
  const { test } = useTestWebhook();
  return (
    <Panel title={texts.channels} flush className="mb-4">
      <Loaded of={channels}>
        {({ pages }) => {
          const rows = pages.flatMap(({ data }) => data);
          return rows.length === 0 ? (
            <Empty title={texts.none} hint={texts.noneHint} />
          ) : (
            <VirtualTable
              label={texts.channels}
              columns={columnsOf(canWrite ? test : undefined)}
              rows={rows}
              keyOf={({ projectId, kind }) => `${projectId} ${kind}`}
              onEnd={more}
              className="max-h-[40vh]"
            />
          );
        }}
      </Loaded>
    </Panel>
  );
}

const testColumn = (test: (project: string) => void): Column<Channel> => ({
  key: 'actions',
  title: <span className="sr-only">{titles.actions}</span>,
  width: 64,
  align: 'end',
  cell: ({ projectId, projectName, seed, kind }) =>
    kind === 'chat' ? null : (
      <IconButton label={texts.testOf(projectName ?? seed)} onClick={() => test(projectId)}>
        <Send aria-hidden size={16} />
      </IconButton>
    ),
});

const columnsOf = (test: ((project: string) => void) | undefined): readonly Column<Channel>[] => [
  {
    key: 'project',
    title: titles.project,
    cell: ({ projectId, projectName, seed }) => (
      <Link to="/projects/$project/webhooks" params={{ project: projectId }} className="block hover:underline">
        <SiteName name={projectName} seed={seed} />
      </Link>
    ),
  },
  {
    key: 'kind',
    title: titles.kind,
    width: 110,
    wideOnly: true,
    cell: ({ kind, service }) => service ?? texts.kinds[kind],
  },
  {
    key: 'url',
    title: titles.url,
    width: 260,
    wideOnly: true,
    cell: ({ url }) => (
      <span dir="ltr" className="block truncate" title={url}>
        {url}
      </span>
    ),
  },
  {
    key: 'health',
    title: titles.health,
    width: 150,
    cell: ({ health: { state, waiting, paused } }) => (
      <>
        <Badge tone={TONES[state]}>{texts.health[state]}</Badge>
        {waiting + paused === 0 ? null : (
          <span className="block text-xs text-muted">{texts.waiting(number(waiting + paused))}</span>
        )}
      </>
    ),
  },
  {
    key: 'last',
    title: titles.last,
    width: 130,
    wideOnly: true,
    cell: ({ health }) => <Time at={health.lastDeliveredAt} />,
  },
  ...(test === undefined ? [] : [testColumn(test)]),
];
