import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { Provider } from '@tidemark/sdk';
import { client } from '../../api/client.ts';
import { refresh, useRead } from '../../api/queries.ts';
import { buttonClass } from '../../parts/button.tsx';
import { PageHead, Panel } from '../../parts/panel.tsx';
import { Allowed, Loaded } from '../../parts/states.tsx';
import { words } from '../../words/words.ts';
import { ConnectionForm } from './connection-form.tsx';

const { connections: texts } = words;
const KINDS = Object.entries(texts.kinds);

/** Creates a connection: a provider of the catalogue, then its fields. */
export function NewConnectionPage() {
  const { provider: chosen } = useSearch({ from: '/connections/new' });
  const navigate = useNavigate();
  const providers = useRead('GET /connections/providers', {});
  const create = async (provider: Provider, body: Parameters<Parameters<typeof ConnectionForm>[0]['save']>[0]) => {
    const { id } = await client.call('POST /connections', { body: { ...body, provider: provider.id } });
    await refresh('GET /connections');
    // The page of the connection shows the steps; a failed test is no failure of the creation.
    await client.call('POST /connections/{id}/test', { path: { id } }).catch(() => undefined);
    await navigate({ to: '/connections/$connection', params: { connection: id } });
  };
  return (
    <>
      <PageHead title={texts.add} />
      <Allowed scope="admin">
        <Loaded of={providers}>
          {({ data }) => {
            const provider = data.find(({ id }) => id === chosen);
            return provider === undefined ? (
              <Catalogue providers={data} />
            ) : (
              <Panel title={provider.title}>
                <ConnectionForm
                  key={provider.id}
                  provider={provider}
                  label={texts.create}
                  save={(body) => create(provider, body)}
                />
              </Panel>
            );
          }}
        </Loaded>
      </Allowed>
    </>
  );
}

function Catalogue({ providers }: { providers: readonly Provider[] }) {
  return (
    <Panel title={texts.catalogue}>
      <div className="grid gap-5">
        {KINDS.map(([kind, title]) => {
          const own = providers.filter((provider) => provider.kind === kind);
          return own.length === 0 ? null : (
            <section key={kind}>
              <h3 className="mb-2 font-medium">{title}</h3>
              <ul className="flex flex-wrap gap-2">
                {own.map(({ id, title: name }) => (
                  <li key={id}>
                    <Link to="/connections/new" search={{ provider: id }} className={buttonClass()}>
                      {name}
                    </Link>
                  </li>
                ))}
              </ul>
            </section>
          );
        })}
      </div>
    </Panel>
  );
}
