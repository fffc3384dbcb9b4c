import { useNavigate } from '@tanstack/react-router';
import { useWrite } from '../../api/writes.ts';
import { sentenceOf } from '../../parts/states.tsx';
import { notify } from '../../parts/toast.tsx';

/** Returns the start of a run of a project, which then opens the page of the run. */
export function useRunNow(project: string): { readonly start: () => void; readonly isSending: boolean } {
  const navigate = useNavigate();
  const { send, isSending } = useWrite('POST /projects/{id}/runs', [
    'GET /projects/{id}/runs',
    'GET /projects/{id}',
    'GET /projects',
    'GET /me/monitor',
  ]);
  const start = async () => {
    try {
      const { id: run } = await send({ path: { id: project }, body: { trigger: 'manual' } });
      await navigate({ to: '/projects/$project/runs/$run', params: { project, run } });
    } catch (error) {
      if (error instanceof Error) notify(sentenceOf(error), { isBad: true });
    }
  };
  return { start: () => void start(), isSending };
}
