import type { ProjectSummary } from '@tidemark/sdk';
import { client } from '../../api/client.ts';
import { refresh } from '../../api/queries.ts';
import { useWrite } from '../../api/writes.ts';
import { act } from '../../parts/act.ts';
import { sentenceOf } from '../../parts/states.tsx';
import { notify } from '../../parts/toast.tsx';
import { words } from '../../words/words.ts';

const { projects: texts } = words;

/** Cancels runs. Pages that were read until then are kept. */
async function cancel(runs: readonly { readonly id: string; readonly run: string }[]): Promise<void> {
  await Promise.all(runs.map((path) => client.call('POST /projects/{id}/runs/{run}/cancel', { path })));
  await refresh('GET /projects', 'GET /projects/{id}/runs', 'GET /me/monitor');
}

/** Returns a function that starts runs of projects and reports which were refused. */
export function useStartRuns(): (projects: readonly ProjectSummary[]) => Promise<void> {
  const { send } = useWrite('POST /projects/run', ['GET /projects', 'GET /projects/{id}/runs', 'GET /me/monitor']);
  return async (projects) => {
    try {
      const { data, refused } = await send({ body: { project_ids: projects.map(({ id }) => id) } });
      const runs = data.flatMap(({ projectId, run }) => (run === null ? [] : [{ id: projectId, run: run.id }]));
      const started = runs.length;
      const undo = () => void act(() => cancel(runs), texts.cancelledMany(words.counts.runs(started)));
      const [first] = projects;
      if (started === 1 && projects.length === 1 && first !== undefined)
        notify(texts.started(first.name ?? first.seed), { undo });
      else if (started > 0) notify(texts.startedMany(words.counts.runs(started)), { undo });
      const why = refused[0]?.reason;
      if (why !== undefined) notify(texts.refusedSome(words.counts.runs(refused.length), why), { isBad: true });
    } catch (error) {
      if (error instanceof Error) notify(sentenceOf(error), { isBad: true });
    }
  };
}
