import { useNavigate, useParams } from '@tanstack/react-router';
import type { Destination } from '@tidemark/sdk';
import { Pause, Play } from 'lucide-react';
import { client } from '../../api/client.ts';
import { refresh, useRead } from '../../api/queries.ts';
import { useCan } from '../../api/session.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { SyncNow } from '../../parts/destination-table.tsx';
import { PageHead } from '../../parts/panel.tsx';
import { Allowed, Loaded, sentenceOf } from '../../parts/states.tsx';
import { notify } from '../../parts/toast.tsx';
import { useProviderName } from '../../parts/use-provider-name.ts';
import { words } from '../../words/words.ts';
import { bodyOf, type DestinationDraft, draftOf } from './destination-draft.ts';
import { DestinationForm } from './destination-form.tsx';
import { Syncs } from './syncs.tsx';
import { useTargets } from './use-destination-form.ts';

const { destinations: texts } = words;
const READS = ['GET /destinations', 'GET /destinations/{id}', 'GET /destinations/{id}/syncs'] as const;
const report = (error: Error) => notify(sentenceOf(error), { isBad: true });

/** A destination: its syncs and its settings. */
export function DestinationPage() {
  const { destination: id } = useParams({ from: '/destinations/$destination' });
  const destination = useRead('GET /destinations/{id}', { path: { id } });
  return (
    <Loaded of={destination} isPage>
      {(data) => <DestinationView destination={data} />}
    </Loaded>
  );
}

function DestinationView({ destination }: { destination: Destination }) {
  const { id, name, status, pausedReason, provider, table, path } = destination;
  const canWrite = useCan('write');
  const providerName = useProviderName();
  return (
    <>
      <PageHead
        title={name}
        note={
          <span className="flex flex-wrap items-center gap-x-3">
            <Badge tone={status === 'active' ? 'good' : 'warn'}>{texts.statuses[status]}</Badge>
            {provider === null ? texts.noConnection : providerName(provider)} · {table ?? path}
          </span>
        }
        actions={
          <>
            <Actions destination={destination} />
            {canWrite ? <SyncNow destination={destination} /> : null}
          </>
        }
      />
      {pausedReason === null ? null : (
        <p className="anywhere mb-4 rounded-md bg-warn-tint px-4 py-2">{texts.pausedBecause(pausedReason)}</p>
      )}
      <Syncs destination={id} />
      <Allowed scope="admin">
        <Settings destination={destination} />
      </Allowed>
    </>
  );
}

function Actions({ destination: { id, name, status } }: { destination: Destination }) {
  const navigate = useNavigate();
  if (!useCan('admin')) return null;
  const isActive = status === 'active';
  const turn = () =>
    void client
      .call('PATCH /destinations/{id}', { path: { id }, body: { status: isActive ? 'paused' : 'active' } })
      .then(() => refresh(...READS), report);
  const remove = async () => {
    await client.call('DELETE /destinations/{id}', { path: { id } });
    await refresh('GET /destinations');
    notify(texts.removed);
    await navigate({ to: '/destinations' });
  };
  return (
    <>
      <ConfirmButton label={texts.remove} question={texts.removeSure(name)} confirm={texts.confirm} act={remove} />
      <Button onClick={turn}>
        {isActive ? <Pause aria-hidden size={16} /> : <Play aria-hidden size={16} />}
        {isActive ? texts.pause : texts.resume}
      </Button>
    </>
  );
}

function Settings({ destination }: { destination: Destination }) {
  const { id, updatedAt } = destination;
  const targets = useTargets();
  const save = async (draft: DestinationDraft, isTable: boolean) => {
    await client.call('PATCH /destinations/{id}', { path: { id }, body: bodyOf(draft, isTable) });
    await refresh(...READS);
    notify(texts.saved);
  };
  return (
    <Loaded of={targets}>
      {(data) => (
        <DestinationForm {...data} key={updatedAt} start={draftOf(destination)} label={texts.save} save={save} />
      )}
    </Loaded>
  );
}
