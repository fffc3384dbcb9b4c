import type { ApiKey, CreatedApiKey } from '@tidemark/sdk';
import { useState } from 'react';
import { useList } from '../../api/lists.ts';
import { useMore } from '../../api/use-more.ts';
import { useWrite } from '../../api/writes.ts';
import { act } from '../../parts/act.ts';
import { Button } from '../../parts/button.tsx';
import { ConfirmedAction } from '../../parts/confirmed-action.tsx';
import { keyColumns } from '../../parts/key-columns.tsx';
import { KeyForm } from '../../parts/key-form.tsx';
import { sameRights } from '../../parts/key-request.ts';
import { PageHead, Panel } from '../../parts/panel.tsx';
import { SecretBox } from '../../parts/secret-box.tsx';
import { Allowed, Empty, Loaded } from '../../parts/states.tsx';
import { VirtualTable } from '../../parts/virtual-table.tsx';
import { words } from '../../words/words.ts';

const { keys: texts } = words.team;
const LIMIT = 200;

/** API keys: create, rotate, revoke. */
export function KeysPage() {
  return (
    <>
      <PageHead title={texts.title} />
      <Allowed scope="admin">
        <Keys />
      </Allowed>
    </>
  );
}

function Keys() {
  const [made, setMade] = useState<CreatedApiKey>();
  const { send: create } = useWrite('POST /me/keys', ['GET /me/keys']);
  const { send: revoke } = useWrite('DELETE /me/keys/{id}', ['GET /me/keys']);
  const rotate = (key: ApiKey) => void act(async () => setMade(await create({ body: sameRights(key) })));
  return (
    <>
      {made === undefined ? null : (
        <SecretBox
          title={texts.created(made.name)}
          hint={texts.once}
          secret={made.secret}
          onDone={() => setMade(undefined)}
        />
      )}
      <Panel title={texts.create} className="mb-4">
        <KeyForm create={(body) => create({ body })} onCreated={setMade} hasProjects />
      </Panel>
      <KeyTable
        actions={(key) => (
          <span className="inline-flex gap-2">
            <Button aria-label={texts.rotateOf(key.name)} title={texts.rotateHint} onClick={() => rotate(key)}>
              {texts.rotate}
            </Button>
            <ConfirmedAction
              text={texts.revoke}
              label={texts.revokeOf(key.name)}
              title={texts.revokeTitle(key.name)}
              hint={texts.revokeHint}
              onConfirm={() => act(() => revoke({ path: { id: key.id } }), texts.revoked(key.name))}
            />
          </span>
        )}
      />
    </>
  );
}

function KeyTable({ actions }: { actions: Parameters<typeof keyColumns>[0] }) {
  const keys = useList('GET /me/keys', { query: { limit: LIMIT } });
  const more = useMore(keys);
  return (
    <Panel title={texts.all} flush>
      <Loaded of={keys}>
        {({ pages }) => {
          const rows = pages.flatMap(({ data }) => data);
          return rows.length === 0 ? (
            <Empty title={texts.none} hint={texts.noneHint} />
          ) : (
            <VirtualTable
              label={texts.all}
              columns={keyColumns(actions, 180)}
              rows={rows}
              keyOf={({ id }) => id}
              onEnd={more}
            />
          );
        }}
      </Loaded>
    </Panel>
  );
}
