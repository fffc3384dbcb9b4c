import { useNavigate, useSearch } from '@tanstack/react-router';
import { useRead } from '../../api/queries.ts';
import { switchWorkspace, useCan, useSession } from '../../api/session.ts';
import { act } from '../../parts/act.ts';
import { Button } from '../../parts/button.tsx';
import { Details } from '../../parts/details.tsx';
import { PageHead, Panel } from '../../parts/panel.tsx';
import { Allowed, Loaded } from '../../parts/states.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { Time } from '../../parts/time.tsx';
import { words } from '../../words/words.ts';
import { AuditLog } from './audit-log.tsx';
import { DeleteWorkspace } from './delete-workspace.tsx';
import { FactorRule, RateLimit, Rename } from './settings.tsx';
import { WORKSPACE_TABS } from './workspace-tabs.ts';

const { workspace: texts } = words.team;

/** Name, rules and audit log of the workspace, and the other workspaces of the person. */
export function WorkspacePage() {
  const search = useSearch({ from: '/workspace' });
  const navigate = useNavigate({ from: '/workspace' });
  const tab = search.tab ?? 'settings';
  return (
    <>
      <PageHead title={texts.title} />
      <Tabs
        label={texts.title}
        tabs={WORKSPACE_TABS.map((key) => ({ key, text: texts.tabs[key] }))}
        current={tab}
        onChoose={(key) => void navigate({ search: { tab: key }, replace: true })}
      >
        {tab === 'settings' ? <Settings /> : null}
        {tab === 'audit' ? (
          <Allowed scope="admin">
            <AuditLog />
          </Allowed>
        ) : null}
      </Tabs>
    </>
  );
}

function Settings() {
  const me = useRead('GET /me', {});
  const canAdmin = useCan('admin');
  return (
    <>
      <Panel className="mb-4">
        <Loaded of={me}>
          {({ id, name, plan, createdAt, settings }) => (
            <>
              <Details
                items={[
                  [texts.plan, plan],
                  [texts.created, <Time key="created" at={createdAt} />],
                  [texts.id, <code key="id">{id}</code>],
                ]}
              />
              {canAdmin ? (
                <div className="grid gap-6 lg:max-w-2xl">
                  <Rename key={name} name={name} />
                  <RateLimit key={settings.max_rpm} max={settings.max_rpm} />
                  <FactorRule isRequired={settings.require_second_factor} />
                </div>
              ) : (
                <p className="anywhere text-muted">{name}</p>
              )}
            </>
          )}
        </Loaded>
      </Panel>
      <Others />
      <DeleteWorkspace />
    </>
  );
}

/** The workspaces of the person, each with the button that opens it. */
function Others() {
  const { workspace, workspaces } = useSession();
  if (workspaces.length < 2) return null;
  return (
    <Panel title={texts.yours} flush className="mb-4">
      <ul>
        {workspaces.map(({ id, name, role }) => (
          <li key={id} className="flex flex-wrap items-center gap-x-3 gap-y-1 border-t border-line px-4 py-2">
            <span dir="auto" className="anywhere min-w-0 flex-1 font-medium">
              {name}
            </span>
            <span className="text-muted">{words.workspace.role[role]}</span>
            {id === workspace?.id ? (
              <span className="text-muted">{texts.current}</span>
            ) : (
              <Button aria-label={texts.openOf(name)} onClick={() => void act(() => switchWorkspace(id))}>
                {texts.open}
              </Button>
            )}
          </li>
        ))}
      </ul>
    </Panel>
  );
}
