import { useParams } from '@tanstack/react-router';
import type { ConfigVersion } from '@tidemark/sdk';
import { client } from '../../api/client.ts';
import { useList } from '../../api/lists.ts';
import { refresh } from '../../api/queries.ts';
import { Button } from '../../parts/button.tsx';
import { PlainTable } from '../../parts/plain-table.tsx';
import { settingName } from '../../parts/settings/labels.ts';
import { Empty, Loaded } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { notify } from '../../parts/toast.tsx';
import { actorName, useNames } from '../../parts/use-names.ts';
import { words } from '../../words/words.ts';
import { report } from './use-save.ts';
import { FROM } from './use-settings.ts';

const { history: texts, undoneExcept } = words.settings;

/** The versions of the settings, newest first; each can be restored. */
export function History({ canWrite }: { canWrite: boolean }) {
  const { project: id } = useParams({ from: FROM });
  const versions = useList('GET /projects/{id}/config/versions', { path: { id } });
  return (
    <Loaded of={versions}>
      {({ pages }) => {
        const rows = pages.flatMap(({ data }) => data);
        if (rows.length === 0) return <Empty title={texts.empty} />;
        return (
          <>
            <Versions rows={rows} canWrite={canWrite} />
            {versions.hasNextPage ? (
              <div className="p-3">
                <Button onClick={() => void versions.fetchNextPage()}>{words.states.more}</Button>
              </div>
            ) : null}
          </>
        );
      }}
    </Loaded>
  );
}

function Versions({ rows, canWrite }: { rows: readonly ConfigVersion[]; canWrite: boolean }) {
  const { project: id } = useParams({ from: FROM });
  const newest = rows[0]?.version;
  const names = useNames();
  const send = async (version: number, undoTo: number | undefined): Promise<void> => {
    const path = { id, version: String(version) };
    const { notRestored } = await client.call('POST /projects/{id}/config/versions/{version}/restore', { path });
    await refresh('GET /projects/{id}', 'GET /projects/{id}/config/versions');
    const text =
      notRestored.length === 0
        ? texts.restored(String(version))
        : undoneExcept(notRestored.map(settingName).join(', '));
    const undo = undoTo === undefined ? {} : { undo: () => void send(undoTo, undefined).catch(report) };
    notify(text, undo);
  };
  return (
    <PlainTable
      label={texts.title}
      titles={[texts.version, texts.when, texts.keys, texts.action]}
      rows={rows}
      keyOf={({ version }) => String(version)}
      cells={({ version, changedAt, changedBy, keys, restoredFrom }) => [
        String(version),
        <span key="when" className="whitespace-nowrap">
          <Time at={changedAt} />
          <span dir="auto" className="block text-xs text-muted">
            {texts.byPerson(actorName(changedBy, names))}
          </span>
        </span>,
        <>
          {keys.map(settingName).join(', ')}
          {restoredFrom === null ? null : (
            <span className="block text-xs text-muted">{texts.from(String(restoredFrom))}</span>
          )}
        </>,
        version === newest ? (
          texts.current
        ) : canWrite ? (
          <Button
            key="restore"
            aria-label={texts.restore(String(version))}
            onClick={() => void send(version, newest).catch(report)}
          >
            {texts.action}
          </Button>
        ) : (
          ''
        ),
      ]}
    />
  );
}
