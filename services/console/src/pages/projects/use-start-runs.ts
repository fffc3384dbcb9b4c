import type { ProjectSummary } from '@tidemark/sdk';
import { useWrite } from '../../api/writes.ts';
import { sentenceOf } from '../../parts/states.tsx';
import { notify } from '../../parts/toast.tsx';
import { words } from '../../words/words.ts';

const { projects: texts } = words;

/** Returns a function that starts runs of projects and reports which were refused. */
export function useStartRuns(): (projects: readonly ProjectSummary[]) => Promise<void> {
  const { send } = useWrite('POST /projects/run', ['GET /projects', 'GET /projects/{id}/runs', 'GET /me/monitor']);
  return async (projects) => {
    try {
      const { data, refused } = await send({ body: { project_ids: projects.map(({ id }) => id) } });
      const started = data.filter(({ run }) => run !== null).length;
      const [first] = projects;
      if (started === 1 && projects.length === 1 && first !== undefined)
        notify(texts.started(first.name ?? first.seed));
      else if (started > 0) notify(texts.startedMany(words.counts.runs(started)));
      const why = refused[0]?.reason;
      if (why !== undefined) notify(texts.refusedSome(words.counts.runs(refused.length), why), { isBad: true });
    } catch (error) {
      if (error instanceof Error) notify(sentenceOf(error), { isBad: true });
    }
  };
}
