import type { SavedViews as Views } from '@tidemark/sdk';
import { useRead } from '../../api/queries.ts';
import { useWrite } from '../../api/writes.ts';
import { act } from '../../parts/act.ts';
import { Button } from '../../parts/button.tsx';
import { Panel } from '../../parts/panel.tsx';
import { Loaded } from '../../parts/states.tsx';
import { words } from '../../words/words.ts';

const { views: texts } = words.account;
type View = Views['data'][number];

/** The saved views of the person in the open workspace. */
export function SavedViews() {
  const views = useRead('GET /auth/views', {});
  const { send: remove } = useWrite('DELETE /auth/views/{id}', ['GET /auth/views']);
  const { send: save } = useWrite('POST /auth/views', ['GET /auth/views']);
  const drop = ({ id, name, path }: View) =>
    void act(
      () => remove({ path: { id } }),
      texts.removed(name),
      () => void act(() => save({ body: { name, path } })),
    );
  return (
    <Panel title={texts.title}>
      <Loaded of={views} rows={1}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="text-muted">{texts.none}</p>
          ) : (
            <ul>
              {data.map((view) => (
                <li key={view.id} className="flex items-center gap-3 border-b border-line py-1.5 last:border-b-0">
                  <a href={view.path} dir="auto" className="anywhere min-w-0 flex-1 hover:underline">
                    {view.name}
                  </a>
                  <Button kind="quiet" aria-label={texts.removeOf(view.name)} onClick={() => drop(view)}>
                    {texts.remove}
                  </Button>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Panel>
  );
}
