import { type FormEvent, type KeyboardEvent, useId, useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { words } from '../../words/words.ts';
import { type Completion, completionsOf } from './complete-query.ts';

const { pages: texts } = words;

interface Props {
  readonly value: string;
  readonly onApply: (query: string) => void;
}

/** The query of the list, with completion of fields and values (ARIA APG, combobox with list). */
export function QueryBar({ value, onApply }: Props) {
  const id = useId();
  const [text, setText] = useState(value);
  const [at, setAt] = useState(-1);
  const [isOpen, setOpen] = useState(false);
  const offered = isOpen ? completionsOf(text, texts.fieldHints) : [];
  const take = ({ query }: Completion) => {
    setText(query);
    setAt(-1);
    setOpen(query.endsWith(':'));
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setOpen(false);
    onApply(text.trim());
  };
  const onKey = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const chosen = offered[at];
    if (step !== undefined && offered.length > 0) setAt((at + step + offered.length) % offered.length);
    else if (step === 1) setOpen(true);
    else if (event.key === 'Enter' && chosen !== undefined) take(chosen);
    else if (event.key === 'Escape' && isOpen) setOpen(false);
    else return;
    event.preventDefault();
  };
  return (
    <search className="relative block">
      <form aria-label={texts.query} onSubmit={submit} className="flex min-w-0 gap-2">
        <input
          role="combobox"
          aria-label={texts.query}
          aria-describedby={`${id}-hint`}
          aria-expanded={offered.length > 0}
          aria-controls={`${id}-list`}
          aria-activedescendant={at < 0 ? undefined : `${id}-${at}`}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          placeholder={texts.placeholder}
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            setAt(-1);
            setOpen(true);
          }}
          onKeyDown={onKey}
          onBlur={() => setOpen(false)}
          className="w-full min-w-0 rounded-md border border-edge bg-surface px-2.5 py-1.5 font-mono placeholder:text-muted"
        />
        <span id={`${id}-hint`} className="sr-only">
          {texts.queryHint}
        </span>
        <Button type="submit">{texts.search}</Button>
      </form>
      <Offered id={id} items={offered} current={at} take={take} />
    </search>
  );
}

interface OfferedProps {
  readonly id: string;
  readonly items: readonly Completion[];
  readonly current: number;
  readonly take: (item: Completion) => void;
}

function Offered({ id, items, current, take }: OfferedProps) {
  return (
    <div
      role="listbox"
      id={`${id}-list`}
      aria-label={texts.fields}
      hidden={items.length === 0}
      className="absolute start-0 top-full z-20 mt-1 max-h-72 w-full max-w-lg overflow-auto rounded-lg border border-line bg-surface p-1 shadow-lg"
    >
      {items.map((item, index) => (
        // biome-ignore lint/a11y/useFocusableInteractive: the keys are handled by the combobox, which keeps the focus
        <div
          key={item.text}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === current}
          // Before the input loses the focus, which would close the list.
          onMouseDown={(event) => {
            event.preventDefault();
            take(item);
          }}
          className="flex cursor-pointer gap-3 rounded-md px-2 py-1 hover:bg-hover aria-selected:bg-hover"
        >
          <span className="font-mono">{item.text}</span>
          <span className="truncate text-muted">{item.hint}</span>
        </div>
      ))}
    </div>
  );
}
