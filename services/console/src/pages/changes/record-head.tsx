import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { ChangeRecord, RunSummary } from '@tidemark/sdk';
import { CheckCheck, CircleAlert, CircleCheck } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import { useCan } from '../../api/session.ts';
import { Button } from '../../parts/button.tsx';
import { ChangesTimeline } from '../../parts/changes-timeline.tsx';
import { CheckField, Select } from '../../parts/field.tsx';
import { runName } from '../../parts/run-picker.tsx';
import { EstimateLine } from '../../parts/site-estimate.tsx';
import { number } from '../../words/format.ts';
import { words } from '../../words/words.ts';
import { KINDS, SINCE } from './changes-view.ts';
import { FROM } from './use-changes.ts';

const { changes: texts } = words;
const DOTS: Readonly<Record<(typeof KINDS)[number], string>> = {
  added: 'bg-good',
  removed: 'bg-bad',
  modified: 'bg-warn',
  template: 'bg-warn',
  withheld: 'bg-info',
  unverified: 'bg-edge',
};

interface Props {
  readonly title: string;
  readonly runs: readonly RunSummary[];
  /** Runs that the page shows. */
  readonly shown: ReadonlySet<string>;
  /** An earlier run is shown than the newest. */
  readonly isOlder?: boolean;
  readonly counts?: ChangeRecord['counts'];
  readonly coverage?: ChangeRecord['coverage'];
  readonly digest?: ChangeRecord['digest'];
  /** Marks all changes as reviewed; absent: there are none. */
  readonly all?: (() => void) | undefined;
}

/** The head of the change page, in two lines: what changed in all, what it is counted from, and which kinds are shown. */
export function RecordHead({
  title,
  runs,
  shown,
  isOlder = false,
  counts = null,
  coverage = null,
  digest = null,
  all,
}: Props) {
  const { project } = useParams({ from: FROM });
  const view = useSearch({ from: FROM });
  const canWrite = useCan('write');
  return (
    <header className="shrink-0 border-b border-line bg-surface px-4 pt-3 md:px-6">
      <title>{`${title} · ${words.product}`}</title>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <h1 className="anywhere text-xl font-semibold">{title}</h1>
        <div className="flex flex-wrap items-center gap-2 md:ms-auto">
          <span className="max-lg:hidden">
            <ChangesTimeline project={project} runs={runs} shown={shown} isCompact />
          </span>
          <SinceChoice runs={runs} isOlder={isOlder} />
          {all !== undefined && canWrite ? (
            <Button onClick={all} aria-keyshortcuts="Shift+E">
              <CheckCheck aria-hidden size={16} />
              {texts.reviewAll}
            </Button>
          ) : null}
        </div>
      </div>
      <div className="flex min-h-10 flex-wrap items-center gap-x-4 gap-y-1 py-1.5 text-sm">
        <Kinds counts={counts} />
        {view.since === 'review' && !isOlder ? null : <UnreviewedOnly />}
        <div className="flex items-center gap-4 md:ms-auto">
          {counts === null ? null : <span className="text-muted">{texts.unchanged(number(counts.same))}</span>}
          <Coverage coverage={coverage} />
        </div>
      </div>
      <Digest digest={digest} />
    </header>
  );
}

/** Chooses what the changes are counted from, or the run whose changes are shown. */
function SinceChoice({ runs, isOlder }: Required<Pick<Props, 'runs' | 'isOlder'>>) {
  const view = useSearch({ from: FROM });
  const navigate = useNavigate({ from: FROM });
  // The first is the newest, whose changes are those since the last run.
  const older = runs.filter(({ changes }) => changes?.status === 'made').slice(1);
  return (
    <div className="w-56">
      <Select
        label={texts.since}
        hideLabel
        value={isOlder ? (view.run ?? 'run') : (view.since ?? 'run')}
        choices={[
          ...SINCE.map((value) => ({ value, text: texts.sinces[value] })),
          ...older.map((run) => ({ value: run.id, text: runName(run) })),
        ]}
        onValue={(next) => {
          const since = SINCE.find((one) => one === next);
          void navigate({
            search: {
              ...view,
              change: undefined,
              run: since === undefined ? next : undefined,
              since: since === 'run' ? undefined : since,
            },
          });
        }}
      />
    </div>
  );
}

function UnreviewedOnly() {
  const view = useSearch({ from: FROM });
  const navigate = useNavigate({ from: FROM });
  return (
    <CheckField
      label={texts.unreviewed}
      checked={view.unreviewed ?? false}
      onChange={(event) => void navigate({ search: { ...view, unreviewed: event.target.checked ? true : undefined } })}
    />
  );
}

/** The kinds of changes with their numbers; each shows its entries alone. */
function Kinds({ counts }: { counts: ChangeRecord['counts'] }) {
  const view = useSearch({ from: FROM });
  const navigate = useNavigate({ from: FROM });
  const shown = KINDS.filter(
    (kind) => kind === view.kind || counts === null || kind === 'template' || counts[kind] > 0,
  ).filter((kind) => kind !== 'template' || counts === null || view.kind === 'template');
  if (shown.length === 0) return null;
  return (
    <fieldset className="flex flex-wrap gap-1">
      <legend className="sr-only">{texts.filter}</legend>
      {shown.map((kind) => (
        <button
          key={kind}
          type="button"
          aria-pressed={kind === view.kind}
          onClick={() =>
            void navigate({ search: { ...view, change: undefined, kind: kind === view.kind ? undefined : kind } })
          }
          className="inline-flex items-center gap-1.5 rounded-md border border-line px-2 py-0.5 tabular-nums hover:bg-hover aria-pressed:border-accent aria-pressed:bg-selected"
        >
          <span aria-hidden className={`size-2 rounded-full ${DOTS[kind]}`} />
          {counts === null || kind === 'template' ? null : <span className="font-medium">{number(counts[kind])}</span>}
          {texts.kinds[kind]}
        </button>
      ))}
    </fieldset>
  );
}

/** Whether the comparison covers the site, in a few words; the reasons and the estimate open below. */
function Coverage({ coverage }: Pick<ChangeRecord, 'coverage'>) {
  const id = useId();
  if (coverage === null) return null;
  const { verdict, read, known, reasons } = coverage;
  const Icon = verdict ? CircleCheck : CircleAlert;
  return (
    <>
      <button
        type="button"
        popoverTarget={id}
        className="inline-flex items-center gap-1.5 rounded-md text-muted hover:text-ink hover:underline"
      >
        <Icon aria-hidden size={16} className={verdict ? 'text-good' : 'text-warn'} />
        {verdict ? texts.read(number(read), number(known)) : texts.noVerdict}
      </button>
      <div
        id={id}
        popover="auto"
        className="inset-auto end-4 top-36 m-0 w-96 max-w-[calc(100vw-2rem)] rounded-lg border border-line bg-surface p-4 text-ink shadow-lg"
      >
        <h2 className="font-semibold">{verdict ? texts.verdict : texts.noVerdict}</h2>
        <p className="text-muted">{texts.read(number(read), number(known))}</p>
        <EstimateLine {...coverage} />
        <ul className="text-muted">
          {reasons.map((reason) => (
            <li key={reason} className="anywhere">
              {texts.coverageReason(reason)}
            </li>
          ))}
        </ul>
      </div>
    </>
  );
}

/** The summary by a language model: its first sentence in a line, its points when it is opened. */
function Digest({ digest }: Pick<ChangeRecord, 'digest'>): ReactNode {
  if (digest === null) return null;
  return (
    <details className="group border-t border-line py-1.5 text-sm">
      <summary className="truncate group-open:whitespace-normal" dir="auto">
        <span className="me-2 font-medium">{texts.digest}</span>
        {digest.summary}
      </summary>
      <ul className="mt-1 max-h-40 list-disc overflow-auto ps-5">
        {digest.points.map((point) => (
          <li key={point} dir="auto">
            {point}
          </li>
        ))}
      </ul>
    </details>
  );
}
