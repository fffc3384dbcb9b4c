import { Link } from '@tanstack/react-router';
import type { RunDetail } from '@tidemark/sdk';
import { Ban, Pause, Play } from 'lucide-react';
import { useCan } from '../../api/session.ts';
import { useWrite } from '../../api/writes.ts';
import { Button, buttonClass } from '../../parts/button.tsx';
import { sentenceOf } from '../../parts/states.tsx';
import { notify } from '../../parts/toast.tsx';
import { words } from '../../words/words.ts';

const { run: texts } = words.runs;
const RUN_READS = ['GET /projects/{id}/runs/{run}', 'GET /projects/{id}/runs'] as const;

/** The buttons of a run in progress. */
export function RunActions({ run: { id: run, projectId: id, status, paused } }: { run: RunDetail }) {
  const canWrite = useCan('write');
  const cancel = useWrite('POST /projects/{id}/runs/{run}/cancel', RUN_READS);
  const pause = useWrite('POST /crawl/{id}/pause', RUN_READS);
  const resume = useWrite('POST /crawl/{id}/resume', RUN_READS);
  if (status !== 'queued' && status !== 'running')
    return status === 'done' ? (
      <Link
        to="/projects/$project/changes"
        params={{ project: id }}
        search={{ run }}
        className={buttonClass('primary')}
      >
        {texts.seeChanges}
      </Link>
    ) : null;
  if (!canWrite) return null;
  const report = (error: unknown) => {
    if (error instanceof Error) notify(sentenceOf(error), { isBad: true });
  };
  const stop = () => void cancel.send({ path: { id, run }, body: {} }).then(() => notify(texts.cancelled), report);
  const turn = () => void (paused ? resume : pause).send({ path: { id: run } }).catch(report);
  return (
    <>
      <Button onClick={turn} disabled={pause.isSending || resume.isSending}>
        {paused ? <Play aria-hidden size={16} /> : <Pause aria-hidden size={16} />}
        {paused ? texts.resume : texts.pause}
      </Button>
      <Button kind="danger" onClick={stop} disabled={cancel.isSending}>
        <Ban aria-hidden size={16} />
        {texts.cancel}
      </Button>
    </>
  );
}
