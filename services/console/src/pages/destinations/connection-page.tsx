import { Link, useNavigate, useParams } from '@tanstack/react-router';
import type { Connection, Provider } from '@tidemark/sdk';
import { Check, CircleDashed, PlugZap, Plus, X } from 'lucide-react';
import { client } from '../../api/client.ts';
import { refresh, useRead } from '../../api/queries.ts';
import { useCan } from '../../api/session.ts';
import { useWrite } from '../../api/writes.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button, buttonClass } from '../../parts/button.tsx';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { PageHead, Panel } from '../../parts/panel.tsx';
import { Allowed, Loaded, Missing, sentenceOf } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { notify } from '../../parts/toast.tsx';
import { words } from '../../words/words.ts';
import type { ConnectionBody } from './connection-draft.ts';
import { ConnectionForm } from './connection-form.tsx';

const { connections: texts } = words;
const STEPS = ['address', 'connect', 'sign_in', 'write', 'mode'] as const;
const READS = ['GET /connections', 'GET /connections/{id}'] as const;

/** A connection: its test step by step, and its fields. */
export function ConnectionPage() {
  const { connection: id } = useParams({ from: '/connections/$connection' });
  const connection = useRead('GET /connections/{id}', { path: { id } });
  const providers = useRead('GET /connections/providers', {});
  return (
    <Loaded of={connection} isPage>
      {(data) => (
        <Loaded of={providers} isPage>
          {({ data: all }) => {
            const provider = all.find((one) => one.id === data.provider);
            return provider === undefined ? <Missing /> : <ConnectionView connection={data} provider={provider} />;
          }}
        </Loaded>
      )}
    </Loaded>
  );
}

function ConnectionView({ connection, provider }: { connection: Connection; provider: Provider }) {
  const { id, name } = connection;
  const canAdmin = useCan('admin');
  const save = async (body: ConnectionBody) => {
    await client.call('PATCH /connections/{id}', { path: { id }, body });
    await refresh(...READS);
    notify(texts.saved);
  };
  return (
    <>
      <PageHead
        title={name}
        note={provider.title}
        actions={
          canAdmin && provider.kind !== 'model' ? (
            <Link to="/destinations/new" search={{ connection: id }} className={buttonClass()}>
              <Plus aria-hidden size={16} />
              {texts.useIt}
            </Link>
          ) : undefined
        }
      />
      <Test connection={connection} />
      <Allowed scope="admin">
        <Panel title={provider.title} className="mb-4">
          <ConnectionForm
            key={connection.updatedAt}
            provider={provider}
            connection={connection}
            label={texts.save}
            save={save}
          />
        </Panel>
        <Remove connection={connection} />
      </Allowed>
    </>
  );
}

function Test({ connection: { id, lastTest, provider } }: { connection: Connection; provider?: Provider }) {
  const canAdmin = useCan('admin');
  const { send, isSending } = useWrite('POST /connections/{id}/test', READS);
  const test = () => void send({ path: { id } }).catch((error: Error) => notify(sentenceOf(error), { isBad: true }));
  const done = lastTest?.steps ?? [];
  const shown = done.some(({ name }) => name !== 'sign_in') ? STEPS : STEPS.filter((step) => step === 'sign_in');
  return (
    <Panel
      title={texts.tested}
      className="mb-4"
      actions={
        canAdmin ? (
          <Button onClick={test} disabled={isSending} aria-label={texts.testNow}>
            <PlugZap aria-hidden size={16} />
            {texts.test}
          </Button>
        ) : undefined
      }
    >
      {lastTest === null ? (
        <p className="text-muted">{texts.untested}</p>
      ) : (
        <>
          <p className="mb-3 flex flex-wrap items-center gap-x-3">
            <Badge tone={lastTest.ok ? 'good' : 'bad'}>{lastTest.ok ? texts.works : texts.fails}</Badge>
            <Time at={lastTest.at} />
            <span className="anywhere text-muted">{lastTest.reason}</span>
          </p>
          <ol aria-label={provider} className="grid gap-2">
            {shown.map((step) => (
              <Step key={step} name={step} result={done.find(({ name }) => name === step)} />
            ))}
          </ol>
        </>
      )}
    </Panel>
  );
}

type StepResult = NonNullable<Connection['lastTest']>['steps'][number];

function Step({ name, result }: { name: (typeof STEPS)[number]; result: StepResult | undefined }) {
  const Icon = result === undefined ? CircleDashed : result.ok ? Check : X;
  const colour = result === undefined ? 'text-muted' : result.ok ? 'text-good' : 'text-bad';
  const state = result === undefined ? texts.notReached : result.ok ? texts.works : texts.fails;
  return (
    <li className="flex items-start gap-2">
      <Icon role="img" aria-label={state} size={16} className={`mt-0.5 shrink-0 ${colour}`} />
      <span className="min-w-0">
        {texts.steps[name]}
        <span className="anywhere block text-xs text-muted">{result?.message ?? texts.notReached}</span>
      </span>
    </li>
  );
}

function Remove({ connection: { id, name } }: { connection: Connection }) {
  const navigate = useNavigate();
  const remove = async () => {
    await client.call('DELETE /connections/{id}', { path: { id } });
    await refresh('GET /connections', 'GET /destinations');
    notify(texts.removed);
    await navigate({ to: '/destinations' });
  };
  return <ConfirmButton label={texts.remove} question={texts.removeSure(name)} confirm={texts.confirm} act={remove} />;
}
