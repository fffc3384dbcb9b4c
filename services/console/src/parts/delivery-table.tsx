import type { Delivery } from '@tidemark/sdk';
import { RotateCw } from 'lucide-react';
import { useList } from '../api/lists.ts';
import { useCan } from '../api/session.ts';
import { useMore } from '../api/use-more.ts';
import { useWrite } from '../api/writes.ts';
import { words } from '../words/words.ts';
import { act } from './act.ts';
import { Badge } from './badge.tsx';
import { IconButton } from './button.tsx';
import { DeliveryDialog } from './delivery-dialog.tsx';
import { DELIVERY_STATUSES, type DeliveryStatus, type DeliveryView } from './delivery-view.ts';
import { Select } from './field.tsx';
import { Panel } from './panel.tsx';
import { Empty, Loaded } from './states.tsx';
import { Time } from './time.tsx';
import { type Column, VirtualTable } from './virtual-table.tsx';

const { deliveries: texts } = words.webhooks;
const { columns: titles } = texts;
const REFRESH_MS = 5_000;
const TONES = {
  pending: 'idle',
  delivering: 'info',
  delivered: 'good',
  retrying: 'warn',
  paused: 'bad',
  failed: 'bad',
} as const;

export const DeliveryBadge = ({ status }: { status: DeliveryStatus }) => (
  <Badge tone={TONES[status]}>{texts.statuses[status]}</Badge>
);

/** Returns the function that sends a delivery again. */
function useRedeliver(): (delivery: Delivery) => void {
  const { send } = useWrite('POST /webhooks/deliveries/{id}/redeliver', [
    'GET /webhooks/deliveries',
    'GET /webhooks',
    'GET /projects/{id}/webhooks',
  ]);
  return ({ id }) => void act(() => send({ path: { id }, body: {} }), texts.resent);
}

const resendColumn = (resend: (delivery: Delivery) => void): Column<Delivery> => ({
  key: 'actions',
  title: <span className="sr-only">{titles.actions}</span>,
  width: 64,
  align: 'end',
  cell: (delivery) => (
    <IconButton label={texts.resendOf(delivery.event)} onClick={() => resend(delivery)}>
      <RotateCw aria-hidden size={16} />
    </IconButton>
  ),
});

const columnsOf = (
  open: (id: string) => void,
  resend: ((delivery: Delivery) => void) | undefined,
): readonly Column<Delivery>[] => [
  {
    key: 'event',
    title: titles.event,
    cell: ({ id, event, test, receiver }) => (
      <button type="button" className="block w-full text-start hover:underline" onClick={() => open(id)}>
        <span className="block truncate font-medium">
          {event}
          {test ? <span className="font-normal text-muted"> · {texts.isTest}</span> : null}
        </span>
        <span dir="ltr" className="block truncate text-xs text-muted md:hidden">
          {receiver}
        </span>
      </button>
    ),
  },
  { key: 'status', title: titles.status, width: 140, cell: ({ status }) => <DeliveryBadge status={status} /> },
  {
    key: 'receiver',
    title: titles.receiver,
    width: 240,
    wideOnly: true,
    cell: ({ receiver }) => (
      <span dir="ltr" className="block truncate" title={receiver}>
        {receiver}
      </span>
    ),
  },
  {
    key: 'attempts',
    title: titles.attempts,
    width: 90,
    align: 'end',
    wideOnly: true,
    cell: ({ attempts }) => attempts,
  },
  { key: 'at', title: titles.at, width: 130, wideOnly: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
  ...(resend === undefined ? [] : [resendColumn(resend)]),
];

interface Props {
  /** Only deliveries of this project. */
  readonly project?: string;
  readonly view: DeliveryView;
  readonly onView: (view: DeliveryView) => void;
}

/** Deliveries, newest first; one opens with its attempts. The state is that of the URL. */
export function DeliveryTable({ project, view, onView }: Props) {
  const { status, delivery: opened } = view;
  const query = {
    limit: 100,
    ...(project === undefined ? {} : { projectId: project }),
    ...(status === undefined ? {} : { status }),
  };
  const deliveries = useList('GET /webhooks/deliveries', { query }, { refetchInterval: REFRESH_MS });
  const more = useMore(deliveries);
  const canWrite = useCan('write');
  const resend = useRedeliver();
  const choices = [
    { value: '', text: texts.all },
    ...DELIVERY_STATUSES.map((value) => ({ value, text: texts.statuses[value] })),
  ] as const;
  const open = (delivery: string | undefined) => onView({ ...view, delivery });
  return (
    <Panel
      title={texts.title}
      flush
      actions={
        <div className="w-44">
          <Select
            label={texts.status}
            hideLabel
            value={status ?? ''}
            choices={choices}
            onValue={(next) => onView({ ...view, status: next === '' ? undefined : next })}
          />
        </div>
      }
    >
      <Loaded of={deliveries}>
        {({ pages }) => {
          const rows = pages.flatMap(({ data }) => data);
          if (rows.length === 0)
            return <Empty title={texts.none} hint={status === undefined ? texts.noneHint : texts.noMatch} />;
          return (
            <>
              <VirtualTable
                label={texts.title}
                columns={columnsOf(open, canWrite ? resend : undefined)}
                rows={rows}
                keyOf={({ id }) => id}
                onEnd={more}
              />
              <DeliveryDialog
                delivery={rows.find(({ id }) => id === opened)}
                onClose={() => open(undefined)}
                resend={canWrite ? resend : undefined}
              />
            </>
          );
        }}
      </Loaded>
    </Panel>
  );
}
