import { Link } from '@tanstack/react-router';
import type { Notice } from '@tidemark/sdk';
import { useList } from '../../api/lists.ts';
import { useCan } from '../../api/session.ts';
import { useMore } from '../../api/use-more.ts';
import { useWrite } from '../../api/writes.ts';
import { act } from '../../parts/act.ts';
import { Button } from '../../parts/button.tsx';
import { PageHead, Panel } from '../../parts/panel.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { words } from '../../words/words.ts';

const { notices: texts } = words;

/** Messages to the signed-in person, newest first. */
export function NoticesPage() {
  const notices = useList('GET /me/notifications', { query: { limit: 100 } });
  const more = useMore(notices);
  return (
    <>
      <PageHead title={texts.title} />
      <Panel flush>
        <Loaded of={notices}>
          {({ pages }) => {
            const rows = pages.flatMap(({ data }) => data);
            return rows.length === 0 ? (
              <Empty title={texts.none} hint={texts.noneHint} />
            ) : (
              <ul>
                {rows.map((notice) => (
                  <Item key={notice.id} notice={notice} />
                ))}
              </ul>
            );
          }}
        </Loaded>
        {notices.hasNextPage ? (
          <div className="p-4">
            <Button onClick={more}>{words.states.more}</Button>
          </div>
        ) : null}
      </Panel>
    </>
  );
}

/** The title of a message: the name of a project, which has a direction of its own, and what happened. */
function Title({ of: title }: { of: string }) {
  const at = title.lastIndexOf(': ');
  if (at === -1) return <bdi>{title}</bdi>;
  return (
    <>
      <bdi>{title.slice(0, at)}</bdi>
      {title.slice(at)}
    </>
  );
}

function Item({ notice: { id, kind, title, text, createdAt, projectId, runId } }: { notice: Notice }) {
  const { send, isSending } = useWrite('POST /me/notifications/{notice_id}/seen', ['GET /me/notifications']);
  const canWrite = useCan('write');
  return (
    <li className="flex flex-wrap items-start gap-x-4 gap-y-2 border-t border-line px-4 py-3 first:border-t-0">
      <div className="min-w-0 flex-1">
        <p className="anywhere font-medium">
          <Title of={title} />
        </p>
        <p dir="auto" className="anywhere whitespace-pre-line text-muted">
          {text}
        </p>
        <p className="text-xs text-muted">
          {texts.kinds[kind]} · <Time at={createdAt} />
          {projectId === null ? null : (
            <>
              {' · '}
              {runId === null ? (
                <Link to="/projects/$project" params={{ project: projectId }} className="underline">
                  {texts.openProject}
                </Link>
              ) : (
                <Link
                  to="/projects/$project/runs/$run"
                  params={{ project: projectId, run: runId }}
                  className="underline"
                >
                  {texts.openRun}
                </Link>
              )}
            </>
          )}
        </p>
      </div>
      {canWrite ? (
        <Button
          aria-label={texts.dismissOf(title)}
          disabled={isSending}
          onClick={() => void act(() => send({ path: { notice_id: id }, body: {} }))}
        >
          {texts.dismiss}
        </Button>
      ) : null}
    </li>
  );
}
