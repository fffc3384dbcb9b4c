import { useRead } from '../../api/queries.ts';
import { useWrite } from '../../api/writes.ts';
import { act } from '../../parts/act.ts';
import { Button } from '../../parts/button.tsx';
import { Panel } from '../../parts/panel.tsx';
import { Loaded } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { words } from '../../words/words.ts';
import { programName } from './program-name.ts';

const { sessions: texts } = words.account;

/** The sessions of the person, each with the button that ends it. */
export function Sessions() {
  const all = useRead('GET /auth/sessions', {});
  const { send } = useWrite('DELETE /auth/sessions', ['GET /auth/sessions']);
  const others = (all.data?.data ?? []).some(({ current }) => !current);
  const endOthers = () => void act(() => send({}), texts.othersEnded);
  return (
    <Panel
      title={texts.title}
      flush
      className="lg:col-span-2"
      actions={others ? <Button onClick={endOthers}>{texts.endOthers}</Button> : undefined}
    >
      <Loaded of={all}>
        {({ data }) => (
          <ul>
            {data.map(({ id, current, userAgent, ip, lastSeenAt }) => {
              const name = programName(userAgent);
              return (
                <li key={id} className="flex flex-wrap items-center gap-x-4 gap-y-1 border-t border-line px-4 py-2">
                  <span className="anywhere min-w-0 flex-1" title={userAgent}>
                    <span className="font-medium">{current ? texts.current : name}</span>
                    <span className="block text-xs text-muted">
                      {current ? `${name} · ` : ''}
                      {ip} · {texts.seen} <Time at={lastSeenAt} />
                    </span>
                  </span>
                  {current ? null : (
                    <Button
                      aria-label={texts.endOf(name)}
                      onClick={() => void act(() => send({ query: { id } }), texts.ended)}
                    >
                      {texts.end}
                    </Button>
                  )}
                </li>
              );
            })}
          </ul>
        )}
      </Loaded>
    </Panel>
  );
}
