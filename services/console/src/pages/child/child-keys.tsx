import type { CreatedApiKey } from '@tidemark/sdk';
import { useState } from 'react';
import { useList } from '../../api/lists.ts';
import { useMore } from '../../api/use-more.ts';
import { useWrite } from '../../api/writes.ts';
import { act } from '../../parts/act.ts';
import { ConfirmedAction } from '../../parts/confirmed-action.tsx';
import { keyColumns } from '../../parts/key-columns.tsx';
import { KeyForm } from '../../parts/key-form.tsx';
import { Panel } from '../../parts/panel.tsx';
import { SecretBox } from '../../parts/secret-box.tsx';
import { Loaded } from '../../parts/states.tsx';
import { VirtualTable } from '../../parts/virtual-table.tsx';
import { words } from '../../words/words.ts';

const { detail: texts } = words.children;
const { keys: keyTexts } = words.team;
const ROUTE = 'GET /orgs/children/{child_id}/keys';

/** API keys that reach only a sub-account. */
export function ChildKeys({ child }: { child: string }) {
  const path = { child_id: child };
  const [made, setMade] = useState<CreatedApiKey>();
  const keys = useList(ROUTE, { path, query: { limit: 200 } });
  const more = useMore(keys);
  const { send: create } = useWrite('POST /orgs/children/{child_id}/keys', [ROUTE]);
  const { send: revoke } = useWrite('DELETE /orgs/children/{child_id}/keys/{key_id}', [ROUTE]);
  const columns = keyColumns(
    ({ id, name }) => (
      <ConfirmedAction
        text={keyTexts.revoke}
        label={keyTexts.revokeOf(name)}
        title={keyTexts.revokeTitle(name)}
        hint={keyTexts.revokeHint}
        onConfirm={() => act(() => revoke({ path: { ...path, key_id: id } }), keyTexts.revoked(name))}
      />
    ),
    110,
  );
  return (
    <>
      {made === undefined ? null : (
        <SecretBox
          title={keyTexts.created(made.name)}
          hint={keyTexts.once}
          secret={made.secret}
          onDone={() => setMade(undefined)}
        />
      )}
      <Panel title={texts.createKey} className="mb-4">
        <KeyForm create={(body) => create({ path, body })} onCreated={setMade} />
      </Panel>
      <Panel title={texts.keys} flush className="mb-4">
        <Loaded of={keys}>
          {({ pages }) => {
            const rows = pages.flatMap(({ data }) => data);
            return rows.length === 0 ? (
              <p className="px-4 pb-4 text-muted">{texts.noKeys}</p>
            ) : (
              <VirtualTable label={texts.keys} columns={columns} rows={rows} keyOf={({ id }) => id} onEnd={more} />
            );
          }}
        </Loaded>
      </Panel>
    </>
  );
}
