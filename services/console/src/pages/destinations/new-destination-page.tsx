import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { client } from '../../api/client.ts';
import { refresh } from '../../api/queries.ts';
import { buttonClass } from '../../parts/button.tsx';
import { PageHead, Panel } from '../../parts/panel.tsx';
import { Allowed, Empty, Loaded } from '../../parts/states.tsx';
import { notify } from '../../parts/toast.tsx';
import { words } from '../../words/words.ts';
import { bodyOf, type DestinationDraft, newDraft } from './destination-draft.ts';
import { DestinationForm } from './destination-form.tsx';
import { useTargets } from './use-destination-form.ts';

const { destinations: texts, connections: links } = words;

/** Creates a destination, with a preview of its rows. */
export function NewDestinationPage() {
  const { project, connection } = useSearch({ from: '/destinations/new' });
  const navigate = useNavigate();
  const targets = useTargets();
  const create = async (draft: DestinationDraft, isTable: boolean) => {
    const { id } = await client.call('POST /destinations', { body: bodyOf(draft, isTable) });
    await refresh('GET /destinations');
    notify(texts.created);
    await navigate({ to: '/destinations/$destination', params: { destination: id } });
  };
  return (
    <>
      <PageHead title={texts.add} />
      <Allowed scope="admin">
        <Loaded of={targets}>
          {(data) => {
            const [first] = data.connections;
            const chosen = data.connections.find(({ id }) => id === connection) ?? first;
            return chosen === undefined ? (
              <Panel>
                <Empty title={texts.needsConnection} hint={texts.needsConnectionHint}>
                  <Link to="/connections/new" className={buttonClass('primary')}>
                    {links.add}
                  </Link>
                </Empty>
              </Panel>
            ) : (
              <DestinationForm {...data} start={newDraft(chosen.id, project)} label={texts.create} save={create} />
            );
          }}
        </Loaded>
      </Allowed>
    </>
  );
}
