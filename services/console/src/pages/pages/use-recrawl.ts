import { useNavigate } from '@tanstack/react-router';
import { client } from '../../api/client.ts';
import { refresh } from '../../api/queries.ts';
import { useWrite } from '../../api/writes.ts';
import { act } from '../../parts/act.ts';
import { sentenceOf } from '../../parts/states.tsx';
import { notify } from '../../parts/toast.tsx';
import { words } from '../../words/words.ts';

/** Returns a function that reads pages again now, and opens the run that does so. */
export function useRecrawl(project: string): (urls: readonly string[]) => Promise<void> {
  const navigate = useNavigate();
  const { send } = useWrite('POST /projects/{id}/pages/recrawl', ['GET /projects/{id}/runs', 'GET /me/monitor']);
  return async (urls) => {
    try {
      const { id: run } = await send({ path: { id: project }, body: { urls: [...urls] } });
      const cancel = () =>
        client
          .call('POST /projects/{id}/runs/{run}/cancel', { path: { id: project, run } })
          .then(() => refresh('GET /projects/{id}/runs', 'GET /projects/{id}/runs/{run}', 'GET /me/monitor'));
      notify(words.pages.recrawled(words.counts.pages(urls.length)), {
        undo: () => void act(cancel, words.runs.run.cancelled),
      });
      await navigate({ to: '/projects/$project/runs/$run', params: { project, run } });
    } catch (error) {
      if (error instanceof Error) notify(sentenceOf(error), { isBad: true });
    }
  };
}
