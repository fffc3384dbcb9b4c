import { useQuery } from '@tanstack/react-query';
import type { DryRun, UnsavedConfig } from '@tidemark/sdk';
import { client } from '../../api/client.ts';
import { PlainTable } from '../../parts/plain-table.tsx';
import { pathOf } from '../../parts/site-name.tsx';
import { Problem } from '../../parts/states.tsx';
import { useSettled } from '../../parts/use-settled.ts';
import { number } from '../../words/format.ts';
import { words } from '../../words/words.ts';

const { sources: texts } = words;
const ROUTE = 'POST /projects/{id}/dry-run';

/** The effect of unsaved patterns on the known URLs, computed again as they change. Nothing is fetched. */
export function Effect({ project, changes }: { project: string; changes: UnsavedConfig }) {
  const body = useSettled(changes, JSON.stringify(changes));
  const effect = useQuery({
    queryKey: [ROUTE, project, body],
    queryFn: ({ signal }) => client.send(ROUTE, { path: { id: project }, body, signal }),
    placeholderData: (before) => before,
  });
  if (effect.error !== null) return <Problem error={effect.error} retry={() => void effect.refetch()} />;
  if (effect.data === undefined || effect.data.runId === null) return null;
  return <Figures effect={effect.data} />;
}

function Figures({ effect }: { effect: DryRun }) {
  const { inScope, visited, newlyIn, newlyOut, estimatedCredits, patterns, cut } = effect;
  const figures = [
    [texts.figures.inScope, inScope],
    [texts.figures.visited, visited],
    [texts.figures.newlyIn, newlyIn.urls],
    [texts.figures.newlyOut, newlyOut.urls],
    [texts.figures.credits, estimatedCredits],
  ] as const;
  return (
    <section aria-label={texts.effect} aria-live="polite">
      <dl className="mb-3 flex flex-wrap gap-x-8 gap-y-3">
        {figures.map(([name, value]) => (
          <div key={name} className="flex flex-col-reverse">
            <dt className="text-xs text-muted">{name}</dt>
            <dd className="text-xl font-semibold tabular-nums">{number(value)}</dd>
          </div>
        ))}
      </dl>
      {cut ? <p className="mb-3 text-muted">{texts.cut}</p> : null}
      <Samples title={texts.dropped} urls={newlyOut.samples} />
      <Samples title={texts.added} urls={newlyIn.samples} />
      {patterns.length === 0 ? null : (
        <div className="-mx-4 -mb-4 border-t border-line">
          <PlainTable
            label={texts.patterns}
            titles={Object.values(texts.patternColumns)}
            rows={patterns}
            keyOf={({ field, pattern }) => `${field} ${pattern}`}
            cells={({ field, pattern, urls, samples }) => [
              <code key="pattern">{pattern}</code>,
              texts.fields[field],
              number(urls),
              <span key="samples" dir="ltr" className="text-xs text-muted">
                {samples.slice(0, 3).map(pathOf).join(', ')}
              </span>,
            ]}
          />
        </div>
      )}
    </section>
  );
}

function Samples({ title, urls }: { title: string; urls: readonly string[] }) {
  if (urls.length === 0) return null;
  return (
    <p className="anywhere mb-3">
      <span className="text-muted">{title}: </span>
      <span dir="ltr">{urls.slice(0, 5).map(pathOf).join(', ')}</span>
    </p>
  );
}
