import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { buttonClass } from '../../parts/button.tsx';
import { CheckField, Select } from '../../parts/field.tsx';
import { words } from '../../words/words.ts';
import { KINDS, SINCE } from './changes-view.ts';
import { FROM } from './use-changes.ts';

const { changes: texts } = words;
const KIND_CHOICES = [
  { value: '', text: texts.all },
  ...KINDS.map((value) => ({ value, text: texts.kinds[value] })),
] as const;

/** Chooses what the changes are counted from, and their kind. */
export function Filters({ isOlder = false }: { isOlder?: boolean }) {
  const { project } = useParams({ from: FROM });
  const view = useSearch({ from: FROM });
  const navigate = useNavigate({ from: FROM });
  const since = view.since ?? 'run';
  return (
    <>
      {isOlder ? (
        <Link to="/projects/$project/changes" params={{ project }} className={buttonClass()}>
          {texts.newest}
        </Link>
      ) : (
        <div className="w-48">
          <Select
            label={texts.since}
            hideLabel
            value={since}
            choices={SINCE.map((value) => ({ value, text: texts.sinces[value] }))}
            onValue={(next) =>
              void navigate({
                search: { ...view, run: undefined, change: undefined, since: next === 'run' ? undefined : next },
              })
            }
          />
        </div>
      )}
      {since === 'review' && !isOlder ? null : (
        <CheckField
          label={texts.unreviewed}
          checked={view.unreviewed ?? false}
          onChange={(event) =>
            void navigate({ search: { ...view, unreviewed: event.target.checked ? true : undefined } })
          }
        />
      )}
      <div className="w-40">
        <Select
          label={texts.filter}
          hideLabel
          value={view.kind ?? ''}
          choices={KIND_CHOICES}
          onValue={(kind) => void navigate({ search: { ...view, kind: kind === '' ? undefined : kind } })}
        />
      </div>
    </>
  );
}
