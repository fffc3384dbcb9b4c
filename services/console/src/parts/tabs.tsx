import { type KeyboardEvent, type ReactNode, useId } from 'react';

export interface Tab<Key extends string> {
  readonly key: Key;
  readonly text: string;
  /** What is wrong in the tab, such as `2 errors`; undefined: nothing. */
  readonly mark?: string | undefined;
}

interface Props<Key extends string> {
  readonly label: string;
  readonly tabs: readonly Tab<Key>[];
  readonly current: Key;
  readonly onChoose: (key: Key) => void;
  readonly children: ReactNode;
}

const STEPS: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1 };

/** Tabs with the content of the current one. Arrow keys move between them (ARIA APG, tabs with automatic activation). */
export function Tabs<Key extends string>({ label, tabs, current, onChoose, children }: Props<Key>) {
  const id = useId();
  const onKey = (event: KeyboardEvent<HTMLElement>) => {
    const step = STEPS[event.key];
    const at = tabs.findIndex(({ key }) => key === current);
    const next = step === undefined ? undefined : tabs[(at + step + tabs.length) % tabs.length];
    if (next === undefined) return;
    event.preventDefault();
    onChoose(next.key);
    document.getElementById(`${id}-${next.key}`)?.focus();
  };
  return (
    <>
      <div role="tablist" aria-label={label} className="mb-4 flex gap-1 overflow-x-auto border-b border-line">
        {tabs.map(({ key, text, mark }) => (
          <button
            key={key}
            type="button"
            role="tab"
            id={`${id}-${key}`}
            aria-selected={key === current}
            aria-controls={`${id}-panel`}
            tabIndex={key === current ? 0 : -1}
            onClick={() => onChoose(key)}
            onKeyDown={onKey}
            className="border-b-2 border-transparent px-3 py-2 whitespace-nowrap text-muted hover:text-ink focus-visible:-outline-offset-2 aria-selected:border-accent aria-selected:text-ink"
          >
            {text}
            {mark === undefined ? null : (
              <span className="ms-1.5 rounded-full bg-bad-tint px-1.5 text-xs text-ink">{mark}</span>
            )}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${current}`} tabIndex={-1}>
        {children}
      </div>
    </>
  );
}
