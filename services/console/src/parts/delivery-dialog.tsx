import { Link } from '@tanstack/react-router';
import type { Delivery } from '@tidemark/sdk';
import { duration, number } from '../words/format.ts';
import { words } from '../words/words.ts';
import { Badge } from './badge.tsx';
import { Button } from './button.tsx';
import { Details } from './details.tsx';
import { Dialog } from './dialog.tsx';
import { Time } from './time.tsx';

const { deliveries: texts, kinds } = words.webhooks;

interface Props {
  readonly delivery: Delivery | undefined;
  readonly onClose: () => void;
  readonly resend: ((delivery: Delivery) => void) | undefined;
}

/** One delivery with its attempts: URL, status, time, and the start of each response. */
export function DeliveryDialog({ delivery, onClose, resend }: Props) {
  return (
    <Dialog isOpen={delivery !== undefined} onClose={onClose} title={delivery?.event ?? ''}>
      {delivery === undefined ? null : <Content delivery={delivery} resend={resend} />}
    </Dialog>
  );
}

function Content({ delivery, resend }: { delivery: Delivery; resend: Props['resend'] }) {
  const { id, kind, receiver, status, nextAt, log, runId, projectId } = delivery;
  return (
    <>
      <Details
        items={[
          [texts.status, texts.statuses[status]],
          [texts.kind, kinds[kind]],
          [
            texts.columns.receiver,
            <span key="receiver" dir="ltr">
              {receiver}
            </span>,
          ],
          ...(nextAt === null ? [] : ([[texts.next, <Time key="next" at={nextAt} />]] as const)),
          [
            texts.id,
            <code key="id" className="text-xs">
              {id}
            </code>,
          ],
          ...(runId === null || projectId === null
            ? []
            : ([[texts.run, <RunLink key="run" project={projectId} run={runId} />]] as const)),
        ]}
      />
      <div className="mb-2 flex items-center justify-between gap-2">
        <h3 className="font-semibold">{texts.attempts}</h3>
        {resend === undefined ? null : <Button onClick={() => resend(delivery)}>{texts.resend}</Button>}
      </div>
      {log.length === 0 ? <p className="text-muted">{texts.noAttempt}</p> : <Attempts log={log} />}
    </>
  );
}

const RunLink = ({ project, run }: { project: string; run: string }) => (
  <Link to="/projects/$project/runs/$run" params={{ project, run }} className="underline">
    {run}
  </Link>
);

/** The attempts, newest first. */
function Attempts({ log }: Pick<Delivery, 'log'>) {
  return (
    <ol className="grid max-h-[45vh] gap-3 overflow-y-auto">
      {log.toReversed().map(({ number: attempt, at, url, status, error, durationMs, answer, by }) => (
        <li key={attempt} className="border-s-2 border-line ps-3">
          <p className="flex flex-wrap items-baseline gap-x-3">
            <Badge tone={error === null ? 'good' : 'bad'}>{texts.attempt(number(attempt))}</Badge>
            <span className="tabular-nums">{status ?? texts.withoutResponse}</span>
            <span className="text-muted">
              <Time at={at} /> · {duration(durationMs)} · {texts.by[by]}
            </span>
          </p>
          {url === null ? null : (
            <p dir="ltr" className="anywhere text-xs text-muted">
              {url}
            </p>
          )}
          {error === null ? null : <p className="anywhere">{error}</p>}
          {answer === '' ? null : (
            <details>
              <summary className="w-fit text-muted">{texts.answer}</summary>
              <pre dir="auto" className="anywhere mt-1 rounded-md bg-hover p-2 font-mono text-xs whitespace-pre-wrap">
                {answer}
              </pre>
            </details>
          )}
        </li>
      ))}
    </ol>
  );
}
