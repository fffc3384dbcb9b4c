import { useNavigate } from '@tanstack/react-router';
import { useWrite } from '../../api/writes.ts';
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
      notify(words.pages.recrawled(words.counts.pages(urls.length)));
      await navigate({ to: '/projects/$project/runs/$run', params: { project, run } });
    } catch (error) {
      if (error instanceof Error) notify(sentenceOf(error), { isBad: true });
    }
  };
}
