import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { Webhook } from '@tidemark/sdk';
import { Send } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { useRead } from '../../api/queries.ts';
import { useCan } from '../../api/session.ts';
import { useWrite } from '../../api/writes.ts';
import { act } from '../../parts/act.ts';
import { Button } from '../../parts/button.tsx';
import { DeliveryTable } from '../../parts/delivery-table.tsx';
import { Details } from '../../parts/details.tsx';
import { TextField } from '../../parts/field.tsx';
import { PageHead, Panel } from '../../parts/panel.tsx';
import { Loaded } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { useTestWebhook } from '../../parts/use-test-webhook.ts';
import { words } from '../../words/words.ts';
import { SigningSecret } from './signing-secret.tsx';

const { project: texts, health, test: testText } = words.webhooks;
const FROM = '/projects/$project/webhooks';

/** The webhook of a project, and what was sent for it. */
export function ProjectWebhooksPage() {
  const { project } = useParams({ from: FROM });
  const view = useSearch({ from: FROM });
  const navigate = useNavigate({ from: FROM });
  const webhook = useRead('GET /projects/{id}/webhooks', { path: { id: project } });
  const canWrite = useCan('write');
  const { test, isSending } = useTestWebhook();
  return (
    <>
      <PageHead
        title={texts.title}
        actions={
          canWrite && typeof webhook.data?.url === 'string' ? (
            <Button kind="primary" disabled={isSending} onClick={() => test(project)}>
              <Send aria-hidden size={16} />
              {testText}
            </Button>
          ) : undefined
        }
      />
      <Panel className="mb-4">
        <Loaded of={webhook}>
          {(data) =>
            data.url === null ? (
              <SetUrl project={project} canWrite={canWrite} />
            ) : (
              <WebhookUrl webhook={data} project={project} />
            )
          }
        </Loaded>
      </Panel>
      <DeliveryTable
        project={project}
        view={view}
        onView={(search) => void navigate({ search, replace: true, resetScroll: false })}
      />
    </>
  );
}

/** The form that sets the URL of a project without a webhook. */
function SetUrl({ project, canWrite }: { project: string; canWrite: boolean }) {
  const { send, isSending } = useWrite('PATCH /projects/{id}', [
    'GET /projects/{id}/webhooks',
    'GET /webhooks',
    'GET /projects/{id}',
  ]);
  const [url, setUrl] = useState('');
  const save = (event: FormEvent) => {
    event.preventDefault();
    void act(() => send({ path: { id: project }, body: { config: { webhook_url: url.trim() } } }), texts.saved);
  };
  if (!canWrite) return <p className="text-muted">{texts.noUrl}</p>;
  return (
    <form onSubmit={save} className="grid max-w-2xl items-end gap-3" noValidate>
      <TextField
        label={texts.url}
        hint={texts.noUrlHint}
        type="url"
        dir="ltr"
        placeholder="https://example.com/tidemark"
        value={url}
        onChange={(event) => setUrl(event.target.value)}
      />
      <div>
        <Button kind="primary" type="submit" disabled={isSending || url.trim() === ''}>
          {texts.setUrl}
        </Button>
      </div>
    </form>
  );
}

function WebhookUrl({ webhook, project }: { webhook: Webhook; project: string }) {
  const { url, events, previousSecretUntil } = webhook;
  const { state, lastDeliveredAt, lastError } = webhook.health;
  return (
    <>
      <Details
        items={[
          [
            texts.url,
            <span key="url" dir="ltr">
              {url}
            </span>,
          ],
          [words.webhooks.columns.health, health[state]],
          [words.webhooks.columns.last, <Time key="last" at={lastDeliveredAt} />],
          [texts.events, events.length === 0 ? texts.allEvents : events.join(', ')],
          ...(lastError === null || state === 'ok' ? [] : [[texts.lastError, lastError] as const]),
          ...(previousSecretUntil === null
            ? []
            : ([[texts.previousUntil, <Time key="until" at={previousSecretUntil} />]] as const)),
        ]}
      />
      <SigningSecret webhook={webhook} project={project} />
    </>
  );
}
