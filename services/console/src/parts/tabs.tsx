import { type KeyboardEvent, type ReactNode, useId, useLayoutEffect, useRef } from 'react';

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
  /** Controls of the content, at the end of the row of tabs. */
  readonly actions?: ReactNode;
  /** The content takes the height that is left, and scrolls. */
  readonly isWhole?: boolean;
  readonly children: ReactNode;
}

const STEPS: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1 };

/** Scrolls a row of tabs, and nothing else, so that a tab is in its middle. */
function showTab(list: HTMLElement | null, tabId: string): void {
  const tab = document.getElementById(tabId);
  if (list === null || tab === null) return;
  list.scrollLeft = tab.offsetLeft - (list.clientWidth - tab.offsetWidth) / 2;
}

/** Tabs with the content of the current one. Arrow keys move between them (ARIA APG, tabs with automatic activation). */
export function Tabs<Key extends string>(props: Props<Key>) {
  const { label, tabs, current, onChoose, actions, isWhole = false, children } = props;
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => showTab(list.current, `${id}-${current}`), [id, current]);
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
      <div
        className={`flex shrink-0 flex-wrap items-center justify-between gap-x-4 border-b border-line ${isWhole ? 'px-2' : 'mb-4'}`}
      >
        <div ref={list} role="tablist" aria-label={label} className="relative flex min-w-0 gap-1 overflow-x-auto">
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
              className="border-b-2 border-transparent px-3 py-2 text-sm whitespace-nowrap text-muted hover:text-ink focus-visible:-outline-offset-2 aria-selected:border-accent aria-selected:text-ink"
            >
              {text}
              {mark === undefined ? null : (
                <span className="ms-1.5 rounded-full bg-bad-tint px-1.5 text-xs text-ink">{mark}</span>
              )}
            </button>
          ))}
        </div>
        {actions}
      </div>
      <div
        role="tabpanel"
        id={`${id}-panel`}
        aria-labelledby={`${id}-${current}`}
        tabIndex={isWhole ? 0 : -1}
        className={
          isWhole ? 'relative min-h-0 flex-1 overflow-auto overscroll-contain focus-visible:-outline-offset-2' : ''
        }
      >
        {children}
      </div>
    </>
  );
}
