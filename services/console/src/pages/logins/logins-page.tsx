import type { LoginSummary } from '@tidemark/sdk';
import { useList } from '../../api/lists.ts';
import { useCan } from '../../api/session.ts';
import { useMore } from '../../api/use-more.ts';
import { useWrite } from '../../api/writes.ts';
import { act } from '../../parts/act.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { ConfirmedAction } from '../../parts/confirmed-action.tsx';
import { PageHead, Panel } from '../../parts/panel.tsx';
import { Allowed, Empty, Loaded, sentenceOf } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { notify } from '../../parts/toast.tsx';
import { type Column, VirtualTable } from '../../parts/virtual-table.tsx';
import { number } from '../../words/format.ts';
import { words } from '../../words/words.ts';
import { LoginForm } from './login-form.tsx';

const { logins: texts } = words;
const { columns: titles } = texts;
const TONES = { works: 'good', dead: 'bad', unknown: 'idle' } as const;

/** Saved sessions of sites: add, test, delete. */
export function LoginsPage() {
  const logins = useList('GET /logins', { query: { limit: 200 } });
  const more = useMore(logins);
  const canWrite = useCan('write');
  return (
    <>
      <PageHead title={texts.title} />
      <p className="mb-4 text-muted">{texts.intro}</p>
      <Panel title={texts.add} className="mb-4">
        <Allowed scope="write">
          <LoginForm />
        </Allowed>
      </Panel>
      <Panel title={texts.all} flush>
        <Loaded of={logins}>
          {({ pages }) => {
            const rows = pages.flatMap(({ data }) => data);
            return rows.length === 0 ? (
              <Empty title={texts.none} hint={texts.noneHint} />
            ) : (
              <VirtualTable
                label={texts.all}
                columns={canWrite ? [...COLUMNS, ACTIONS] : COLUMNS}
                rows={rows}
                keyOf={({ id }) => id}
                onEnd={more}
              />
            );
          }}
        </Loaded>
      </Panel>
    </>
  );
}

const COLUMNS: readonly Column<LoginSummary>[] = [
  {
    key: 'site',
    title: titles.site,
    cell: ({ site, name, cookies }) => (
      <>
        <span dir="ltr" className="block truncate font-medium" title={site}>
          {site}
        </span>
        <span dir="auto" className="block truncate text-xs text-muted">
          {name === null ? '' : `${name} · `}
          {words.counts.cookies(cookies)}
        </span>
      </>
    ),
  },
  {
    key: 'state',
    title: titles.state,
    width: 140,
    cell: ({ state, reason }) => (
      <span title={reason ?? ''}>
        <Badge tone={TONES[state]}>{texts.states[state]}</Badge>
      </span>
    ),
  },
  {
    key: 'projects',
    title: titles.projects,
    width: 90,
    align: 'end',
    wideOnly: true,
    cell: ({ projects }) => number(projects.length),
  },
  {
    key: 'expires',
    title: titles.expires,
    width: 130,
    wideOnly: true,
    cell: ({ expiresAt }) => <Time at={expiresAt} />,
  },
  {
    key: 'checked',
    title: titles.checked,
    width: 130,
    wideOnly: true,
    cell: ({ checkedAt }) => <Time at={checkedAt} />,
  },
];

const ACTIONS: Column<LoginSummary> = {
  key: 'actions',
  title: <span className="sr-only">{titles.actions}</span>,
  width: 170,
  align: 'end',
  cell: (login) => <Actions login={login} />,
};

function Actions({ login: { id, site } }: { login: LoginSummary }) {
  const { send: test, isSending } = useWrite('POST /logins/{id}/test', ['GET /logins']);
  const { send: remove } = useWrite('DELETE /logins/{id}', ['GET /logins']);
  const tryIt = async () => {
    try {
      const { test: result, state } = await test({ path: { id }, body: {} });
      notify(texts.tested(result.reason), { isBad: !result.answered || state === 'dead' });
    } catch (error) {
      if (error instanceof Error) notify(sentenceOf(error), { isBad: true });
    }
  };
  return (
    <span className="inline-flex gap-2">
      <Button aria-label={texts.testOf(site)} disabled={isSending} onClick={() => void tryIt()}>
        {texts.test}
      </Button>
      <ConfirmedAction
        text={texts.remove}
        label={texts.removeOf(site)}
        title={texts.removeTitle(site)}
        hint={texts.removeHint}
        onConfirm={() => act(() => remove({ path: { id } }), texts.removed(site))}
      />
    </span>
  );
}
