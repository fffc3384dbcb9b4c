import type { Playground } from '@tidemark/sdk';
import type { ReactNode } from 'react';
import { engineName } from '../../parts/engine-name.ts';
import { PlainTable } from '../../parts/plain-table.tsx';
import { duration, number } from '../../words/format.ts';
import { words } from '../../words/words.ts';

const { playground: texts } = words;

type Result = NonNullable<Playground['result']>;

const Part = ({ title, children }: { title: string; children: ReactNode }) => (
  <div className="min-w-0">
    <h2 className="mb-1 text-xs font-semibold text-muted">{title}</h2>
    {children}
  </div>
);

const Chips = ({ items }: { items: readonly string[] }) => (
  <ul className="flex flex-wrap gap-1.5">
    {items.map((item) => (
      <li key={item} className="anywhere rounded border border-line px-2 py-0.5">
        {item}
      </li>
    ))}
  </ul>
);

/** The time of each step of the capture, as bars with their figures. */
function Steps({ timings }: { timings: Readonly<Record<string, number>> }) {
  const entries = Object.entries(timings);
  const max = Math.max(1, ...entries.map(([, ms]) => ms));
  return (
    <ul className="grid gap-1">
      {entries.map(([step, ms]) => (
        <li key={step} className="grid grid-cols-[8rem_minmax(0,1fr)_4.5rem] items-center gap-3">
          <span className="truncate">{step}</span>
          <span aria-hidden className="h-2 rounded bg-idle">
            <span className="block h-full rounded bg-accent" style={{ width: `${Math.max(1, (ms / max) * 100)}%` }} />
          </span>
          <span className="text-end tabular-nums">{duration(ms)}</span>
        </li>
      ))}
    </ul>
  );
}

function Ladder({ attempts }: { attempts: NonNullable<Playground['evidence']>['attempts'] }) {
  const { attempt: titles } = texts;
  return (
    <PlainTable
      label={texts.ladder}
      titles={[titles.tier, titles.verdict, titles.status, titles.bytes, titles.took, titles.reason]}
      rows={attempts}
      keyOf={({ rung }, index) => `${index} ${rung}`}
      cells={({ rung, verdict, httpStatus, bytes, ms, reason }) => [
        engineName(rung),
        verdict,
        httpStatus ?? '–',
        number(bytes),
        duration(ms),
        reason,
      ]}
    />
  );
}

/** Why the page has its outcome: reason, signals, robots.txt, every step tried, time per step. */
export function Evidence({ result, evidence }: { result: Result; evidence: Playground['evidence'] }) {
  const robots = evidence?.robots ?? null;
  return (
    <div className="grid gap-5">
      <Part title={texts.reason}>
        <p className="anywhere">{result.reason}</p>
        {evidence?.halted ? <p className="text-muted">{texts.halted(evidence.halted)}</p> : null}
        {evidence?.begunOn ? <p className="text-muted">{texts.begunOn(evidence.begunOn)}</p> : null}
      </Part>
      {result.signals.length === 0 ? null : (
        <Part title={texts.signals}>
          <Chips items={result.signals} />
        </Part>
      )}
      {result.warnings.length === 0 ? null : (
        <Part title={texts.warnings}>
          <Chips items={result.warnings} />
        </Part>
      )}
      {robots === null ? null : (
        <Part title={texts.robots}>
          <p className="anywhere">
            {robots.allowed ? texts.robotsAllowed : texts.robotsRefused}
            {robots.reason === '' ? '' : ` · ${robots.reason}`}
          </p>
        </Part>
      )}
      {evidence === null || evidence.attempts.length === 0 ? null : (
        <Part title={texts.ladder}>
          <Ladder attempts={evidence.attempts} />
        </Part>
      )}
      <Part title={texts.steps}>
        <Steps timings={result.timingsMs} />
      </Part>
    </div>
  );
}
