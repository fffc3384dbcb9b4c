import { useNavigate } from '@tanstack/react-router';
import type { Project } from '@tidemark/sdk';
import { client } from '../../api/client.ts';
import { refresh } from '../../api/queries.ts';
import { useCan } from '../../api/session.ts';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { Panel } from '../../parts/panel.tsx';
import { shortUrl } from '../../parts/site-name.tsx';
import { notify } from '../../parts/toast.tsx';
import { words } from '../../words/words.ts';

const { remove: texts } = words.settings;

/** Deletes the project after a question. */
export function DeleteProject({ project: { id, name, seed } }: { project: Project }) {
  const navigate = useNavigate();
  const remove = async () => {
    await client.call('DELETE /projects/{id}', { path: { id } });
    await refresh('GET /projects');
    notify(texts.done);
    await navigate({ to: '/projects' });
  };
  if (!useCan('admin')) return null;
  return (
    <Panel title={texts.title} className="mt-4">
      <p className="mb-3 text-muted">{texts.hint}</p>
      <ConfirmButton
        label={texts.open}
        question={texts.sure(name ?? shortUrl(seed))}
        confirm={texts.confirm}
        act={remove}
      />
    </Panel>
  );
}
