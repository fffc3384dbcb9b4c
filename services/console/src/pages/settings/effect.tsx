import type { DryRun } from '@tidemark/sdk';
import type { ReactNode } from 'react';
import { PlainTable } from '../../parts/plain-table.tsx';
import { paidFor } from '../../parts/settings/run-price.tsx';
import { Loaded } from '../../parts/states.tsx';
import { number, share } from '../../words/format.ts';
import { words } from '../../words/words.ts';
import { useEffectOf } from './use-settings.ts';

const { effect: texts } = words.settings;
const MAX_SAMPLES = 5;

interface Props {
  readonly config: Readonly<Record<string, unknown>>;
  readonly groups: ReadonlySet<string>;
}

/** What unsaved settings would change, and what a run would cost, computed from stored pages. */
export function Effect({ config, groups }: Props) {
  const { scope, content } = useEffectOf(config, groups);
  return (
    <div className="grid items-start gap-6 lg:grid-cols-2">
      <Loaded of={scope} rows={2}>
        {({ now, after }) => <RunEffect now={now} after={after} />}
      </Loaded>
      {groups.has('content') ? (
        <Loaded of={content} rows={2}>
          {({ now, after }) => (
            <Part title={texts.content}>
              <Figures
                label={texts.content}
                rows={[
                  [texts.kept, number(now.words), number(after.words)],
                  [texts.share, share(now.keptShare), share(after.keptShare)],
                ]}
              />
              <FieldValues values={after.fields} />
            </Part>
          )}
        </Loaded>
      ) : groups.has('scope') ? null : (
        <p className="text-muted">{texts.none}</p>
      )}
    </div>
  );
}

function RunEffect({ now, after }: { now: DryRun; after: DryRun }) {
  if (after.runId === null) return <p className="text-muted">{texts.noRun}</p>;
  const [paidNow, paidAfter] = [paidFor(now.estimatedCost), paidFor(after.estimatedCost)];
  return (
    <Part title={texts.scope}>
      <Figures
        label={texts.scope}
        rows={[
          [texts.inScope, number(now.inScope), number(after.inScope)],
          [texts.visited, number(now.visited), number(after.visited)],
          [texts.credits, number(now.estimatedCredits), number(after.estimatedCredits)],
          ...(paidNow === undefined || paidAfter === undefined ? [] : ([[texts.money, paidNow, paidAfter]] as const)),
        ]}
      />
      <Samples of={after.newlyOut} text={texts.newlyOut} />
      <Samples of={after.newlyIn} text={texts.newlyIn} />
    </Part>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <h3 className="mb-1 font-medium">{title}</h3>
      {children}
    </div>
  );
}

type Row = readonly [string, string, string];

const Figures = ({ label, rows }: { label: string; rows: readonly Row[] }) => (
  <PlainTable
    label={label}
    titles={[label, texts.now, texts.after]}
    rows={rows}
    keyOf={([name]) => name}
    cells={([name, now, after]) => [name, now, now === after ? after : <strong key="after">{after}</strong>]}
  />
);

interface Counted {
  readonly urls: number;
  readonly samples: readonly string[];
}

function Samples({ of: { urls: total, samples }, text }: { of: Counted; text: (count: string) => string }) {
  if (total === 0) return null;
  return (
    <div className="mt-3">
      <p className="font-medium">{text(words.counts.pages(total))}</p>
      <ul>
        {samples.slice(0, MAX_SAMPLES).map((url) => (
          <li key={url} dir="ltr" className="anywhere text-xs text-muted">
            {url}
          </li>
        ))}
      </ul>
    </div>
  );
}

function FieldValues({ values }: { values: Readonly<Record<string, unknown>> }) {
  const entries = Object.entries(values);
  if (entries.length === 0) return null;
  return (
    <dl className="mt-3 grid grid-cols-[auto_minmax(0,1fr)] gap-x-4">
      {entries.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-muted">{name}</dt>
          <dd dir="auto" className="anywhere">
            {typeof value === 'string' ? value : JSON.stringify(value)}
          </dd>
        </div>
      ))}
    </dl>
  );
}
