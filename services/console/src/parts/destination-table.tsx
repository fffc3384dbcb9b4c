import { Link } from '@tanstack/react-router';
import type { Destination, Sync } from '@tidemark/sdk';
import { RefreshCw } from 'lucide-react';
import { useCan } from '../api/session.ts';
import { useWrite } from '../api/writes.ts';
import { words } from '../words/words.ts';
import { Badge, type Tone } from './badge.tsx';
import { Button } from './button.tsx';
import { PlainTable } from './plain-table.tsx';
import { sentenceOf } from './states.tsx';
import { Time } from './time.tsx';
import { notify } from './toast.tsx';
import { useProviderName } from './use-provider-name.ts';

const { destinations: texts } = words;

const TONES: Readonly<Record<Sync['status'], Tone>> = {
  queued: 'idle',
  running: 'info',
  done: 'good',
  error: 'bad',
  cancelled: 'warn',
  skipped: 'idle',
};

export const SyncBadge = ({ status }: { status: Sync['status'] }) => (
  <Badge tone={TONES[status]}>{texts.syncStatuses[status]}</Badge>
);

/** Starts a sync of a destination: of one project, or of each that it writes. */
export function SyncNow({
  destination: { id, name, status },
  project,
}: {
  destination: Destination;
  project?: string;
}) {
  const { send, isSending } = useWrite('POST /destinations/{id}/sync', [
    'GET /destinations',
    'GET /destinations/{id}',
    'GET /destinations/{id}/syncs',
  ]);
  const start = () =>
    void send({ path: { id }, body: project === undefined ? {} : { project_id: project } }).then(
      ({ data }) => notify(texts.started(words.counts.syncs(data.length))),
      (error: Error) => notify(sentenceOf(error), { isBad: true }),
    );
  return (
    <Button onClick={start} disabled={isSending || status === 'paused'} aria-label={texts.syncOf(name)}>
      <RefreshCw aria-hidden size={16} />
      {texts.sync}
    </Button>
  );
}

/** Destinations with their target and newest sync. */
export function DestinationTable({ rows, project }: { rows: readonly Destination[]; project?: string }) {
  const canWrite = useCan('write');
  const providerName = useProviderName();
  return (
    <PlainTable
      label={texts.list}
      titles={[texts.name, texts.dataset, texts.lastSync, texts.status, texts.sync]}
      rows={rows}
      keyOf={({ id }) => id}
      cells={(destination) => {
        const { id, name, provider, table, path, dataset, mode, lastSync, status, pausedReason } = destination;
        return [
          <>
            <Link
              to="/destinations/$destination"
              params={{ destination: id }}
              dir="auto"
              className="font-medium hover:underline"
            >
              {name}
            </Link>
            <span className="block text-xs text-muted">
              {provider === null ? texts.noConnection : providerName(provider)} · {table ?? path}
            </span>
          </>,
          `${texts.rowNames[dataset]}, ${texts.modeNames[mode]}`,
          lastSync === null ? (
            <Time key="last" at={null} />
          ) : (
            <span key="last" className="flex flex-wrap gap-x-3">
              <SyncBadge status={lastSync.status} />
              <Time at={lastSync.finishedAt ?? lastSync.createdAt} />
            </span>
          ),
          status === 'paused' && pausedReason !== null ? texts.pausedBecause(pausedReason) : texts.statuses[status],
          canWrite ? (
            <SyncNow key="sync" destination={destination} {...(project === undefined ? {} : { project })} />
          ) : null,
        ];
      }}
    />
  );
}
