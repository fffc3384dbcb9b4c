import type { StoredPage } from '@tidemark/sdk';
import type { ReactNode } from 'react';
import { duration } from '../../words/format.ts';
import { words } from '../../words/words.ts';

const { page: texts } = words.pages;
const headNames: Readonly<Record<string, string>> = texts.headNames;

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div>
      <h2 className="mb-1 text-xs font-semibold text-muted">{title}</h2>
      {children}
    </div>
  );
}

const Chips = ({ items }: { items: readonly string[] }) => (
  <ul className="flex flex-wrap gap-1.5">
    {items.map((item) => (
      <li key={item} className="anywhere rounded border border-line px-2 py-0.5">
        {item}
      </li>
    ))}
  </ul>
);

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Whether a value has nothing to show: the head lists names without values too. */
const isEmpty = (value: unknown): boolean =>
  value === null || value === '' || (typeof value === 'object' && Object.keys(value).length === 0);

function Values({ values }: { values: Readonly<Record<string, unknown>> }) {
  return (
    <dl className="grid gap-x-4 gap-y-1 sm:grid-cols-[minmax(8rem,auto)_minmax(0,1fr)]">
      {Object.entries(values)
        .filter(([, value]) => !isEmpty(value))
        .map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="anywhere text-muted">{headNames[name] ?? name}</dt>
            <dd dir="auto" className="anywhere">
              {textOf(value)}
            </dd>
          </div>
        ))}
    </dl>
  );
}

/** Why a page has its verdict: reason, signals, warnings, time per step, head. */
export function Evidence({ page: { reason, signals, warnings, timingsMs, head, fields } }: { page: StoredPage }) {
  const timings = Object.fromEntries(Object.entries(timingsMs).map(([step, ms]) => [step, duration(ms)]));
  return (
    <div className="grid gap-5">
      <Part title={texts.reason}>
        <p className="anywhere">{reason}</p>
      </Part>
      {signals.length === 0 ? null : (
        <Part title={texts.signals}>
          <Chips items={signals} />
        </Part>
      )}
      {warnings.length === 0 ? null : (
        <Part title={texts.warnings}>
          <Chips items={warnings} />
        </Part>
      )}
      <Part title={texts.timings}>
        <Values values={timings} />
      </Part>
      {fields === null || Object.keys(fields).length === 0 ? null : (
        <Part title={texts.fields}>
          <Values values={fields} />
        </Part>
      )}
      {head === null ? null : (
        <Part title={texts.head}>
          <Values values={head} />
        </Part>
      )}
    </div>
  );
}
