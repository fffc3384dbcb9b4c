import { useNavigate } from '@tanstack/react-router';
import type { Project } from '@tidemark/sdk';
import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useCan } from '../../api/session.ts';
import { useWrite } from '../../api/writes.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Panel } from '../../parts/panel.tsx';
import { shortUrl } from '../../parts/site-name.tsx';
import { notify } from '../../parts/toast.tsx';
import { words } from '../../words/words.ts';
import { report } from './use-save.ts';

const { remove: texts } = words.settings;

/** Deletes the project after a question. */
export function DeleteProject({ project: { id, name, seed } }: { project: Project }) {
  const navigate = useNavigate();
  const [isOpen, setOpen] = useState(false);
  const { send, isSending } = useWrite('DELETE /projects/{id}', ['GET /projects']);
  const remove = async () => {
    await send({ path: { id } });
    notify(texts.done);
    await navigate({ to: '/projects' });
  };
  if (!useCan('admin')) return null;
  return (
    <Panel title={texts.title} className="mt-4">
      <p className="mb-3 text-muted">{texts.hint}</p>
      <Button kind="danger" onClick={() => setOpen(true)}>
        <Trash2 aria-hidden size={16} />
        {texts.open}
      </Button>
      <Dialog isOpen={isOpen} onClose={() => setOpen(false)} title={texts.title}>
        <p className="anywhere mb-4">{texts.sure(name ?? shortUrl(seed))}</p>
        <Button kind="danger" disabled={isSending} onClick={() => void remove().catch(report)}>
          {texts.confirm}
        </Button>
      </Dialog>
    </Panel>
  );
}
