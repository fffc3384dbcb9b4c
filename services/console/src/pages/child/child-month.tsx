import type { ChildDetail } from '@tidemark/sdk';
import { Panel } from '../../parts/panel.tsx';
import { PlainTable } from '../../parts/plain-table.tsx';
import { Time } from '../../parts/time.tsx';
import { number } from '../../words/format.ts';
import { words } from '../../words/words.ts';

const { detail: texts } = words.children;

/** Keys and people of the parent that acted in the sub-account. */
export function Actors({ actors }: Pick<ChildDetail, 'actors'>) {
  return (
    <Panel title={texts.actors} flush>
      {actors.length === 0 ? (
        <p className="px-4 pb-4 text-muted">{texts.noActors}</p>
      ) : (
        <PlainTable
          label={texts.actors}
          titles={[texts.actor, texts.calls, texts.last]}
          rows={actors}
          keyOf={({ keyId, memberId }) => keyId ?? memberId ?? ''}
          cells={({ name, keyId, memberId, calls, lastAt }) => [
            <span key="name" dir="auto">
              {name === '' ? (keyId ?? memberId) : name}
            </span>,
            number(calls),
            <Time key="last" at={lastAt} />,
          ]}
        />
      )}
    </Panel>
  );
}
