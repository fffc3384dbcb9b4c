import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useRead } from '../../api/queries.ts';
import { PageHead } from '../../parts/panel.tsx';
import { Loaded } from '../../parts/states.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { words } from '../../words/words.ts';
import { Found } from './found.tsx';
import { ScopeForm } from './scope-form.tsx';
import { SOURCE_TABS } from './sources-view.ts';
import { Tree } from './tree.tsx';

const { sources: texts } = words;
const FROM = '/projects/$project/sources';

/** Where the pages of a project come from: sources with their results, the scope with its effect, and the sitemap tree. */
export function SourcesPage() {
  const { project: id } = useParams({ from: FROM });
  const { tab = 'sources' } = useSearch({ from: FROM });
  const navigate = useNavigate({ from: FROM });
  return (
    <>
      <PageHead title={texts.title} />
      <Tabs
        label={texts.title}
        tabs={SOURCE_TABS.map((key) => ({ key, text: texts.tabs[key] }))}
        current={tab}
        onChoose={(key) => void navigate({ search: { tab: key }, replace: true })}
      >
        {tab === 'sources' ? <Sources id={id} /> : <Tree project={id} />}
      </Tabs>
    </>
  );
}

function Sources({ id }: { id: string }) {
  const project = useRead('GET /projects/{id}', { path: { id } });
  const sources = useRead('GET /projects/{id}/sources', { path: { id } });
  return (
    <>
      <Loaded of={project}>
        {({ config, configVersion }) => <ScopeForm key={configVersion} project={id} config={config} />}
      </Loaded>
      <Loaded of={sources}>{(data) => <Found sources={data} />}</Loaded>
    </>
  );
}
