import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { words } from '../words/words.ts';
import { useEntries } from './palette-entries.ts';
import { type Entry, matching } from './palette-matches.ts';
import { useFoundDocs } from './use-found-docs.ts';
import { useFoundPages } from './use-found-pages.ts';
import { useSavedViews } from './use-saved-views.ts';

const MAX_SHOWN = 40;
const MAX_DOCS = 6;

interface OptionProps {
  readonly id: string;
  readonly entry: Entry;
  readonly isSelected: boolean;
  readonly open: () => void;
}

function Option({ id, entry: { text, detail, group }, isSelected, open }: OptionProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/useFocusableInteractive: the keys are handled by the combobox (ARIA APG, combobox with list)
    <div
      id={id}
      role="option"
      aria-selected={isSelected}
      onClick={open}
      className="flex cursor-pointer items-baseline gap-3 rounded-md px-3 py-2 aria-selected:bg-hover"
    >
      <span dir="auto" className="truncate">
        {text}
      </span>
      <span className="min-w-0 truncate text-xs text-muted">{detail}</span>
      <span className="ms-auto shrink-0 text-xs text-muted">{group}</span>
    </div>
  );
}

interface OptionsProps {
  readonly id: string;
  readonly entries: readonly Entry[];
  readonly current: number;
  readonly open: (entry: Entry) => void;
}

function Options({ id, entries, current, open }: OptionsProps) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  });
  return (
    <div
      ref={list}
      role="listbox"
      id={`${id}-list`}
      aria-label={words.palette.title}
      className="max-h-[50vh] overflow-y-auto p-1.5"
    >
      {entries.map((entry, index) => (
        <Option
          key={`${entry.group} ${entry.text} ${entry.detail}`}
          id={`${id}-${index}`}
          entry={entry}
          isSelected={index === current}
          open={() => open(entry)}
        />
      ))}
    </div>
  );
}

/** What the palette finds for the entered text. */
export function PaletteChoices({ onDone }: { onDone: () => void }) {
  const id = useId();
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const views = useSavedViews(text);
  const pages = useFoundPages(text);
  const docs = useFoundDocs(text);
  const matches = [
    ...matching([...views.entries, ...useEntries()], text),
    ...pages.entries,
    ...matching(docs.entries, text).slice(0, MAX_DOCS),
  ].slice(0, MAX_SHOWN);
  const found = [...matches, ...[docs.search, views.save].filter((one) => one !== undefined)];
  const current = Math.min(at, found.length - 1);
  const open = (entry: Entry | undefined) => {
    if (entry === undefined) return;
    onDone();
    entry.open();
  };
  const onKey = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && found.length > 0) setAt((current + step + found.length) % found.length);
    else if (event.key === 'Enter') open(found[current]);
    else return;
    event.preventDefault();
  };
  return (
    <>
      <input
        // biome-ignore lint/a11y/noAutofocus: the person opened the dialog to type here
        autoFocus
        role="combobox"
        aria-expanded
        aria-controls={`${id}-list`}
        aria-activedescendant={found.length === 0 ? undefined : `${id}-${current}`}
        aria-label={words.palette.input}
        aria-describedby={`${id}-hint`}
        placeholder={words.find}
        value={text}
        onKeyDown={onKey}
        onChange={(event) => {
          setText(event.target.value);
          setAt(0);
        }}
        className="w-full border-b border-line bg-surface px-4 py-3 text-base outline-none placeholder:text-muted"
      />
      <Options id={id} entries={found} current={current} open={open} />
      {pages.isSearching ? <p className="px-4 pb-2 text-xs text-muted">{words.palette.searching}</p> : null}
      {found.length === 0 && !pages.isSearching ? <p className="px-4 pb-4 text-muted">{words.palette.empty}</p> : null}
      <p id={`${id}-hint`} className="border-t border-line px-4 py-2 text-xs text-muted">
        {words.palette.hint}
      </p>
    </>
  );
}
