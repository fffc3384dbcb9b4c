import { type FormEvent, useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { Select, TextField } from '../../parts/field.tsx';
import { words } from '../../words/words.ts';
import type { RecorderInput, RecorderStep } from './recorder-state.ts';

const { recorder: texts, settings } = words;
const KEYS = ['Enter', 'Tab', 'Escape', 'ArrowDown', 'ArrowUp', 'PageDown'] as const;
const TARGETS = ['down', 'up', 'top', 'bottom'] as const;
const WAIT_MS = 5_000;

interface Props {
  readonly send: (input: RecorderInput) => void;
}

/** Keys that leave the picture, scrolling, and elements by their selector: all that needs no mouse. */
export function ByHand({ send }: Props) {
  const [key, setKey] = useState<(typeof KEYS)[number]>('Enter');
  const [to, setTo] = useState<(typeof TARGETS)[number]>('down');
  const [selector, setSelector] = useState('');
  const isChosen = selector.trim() !== '';
  const submit = (input: RecorderInput) => (event: FormEvent) => {
    event.preventDefault();
    send(input);
  };
  return (
    <div className="mt-3 flex flex-wrap items-end gap-x-6 gap-y-3">
      <form onSubmit={submit({ type: 'press', key })} className="flex items-end gap-2">
        <Select
          label={texts.key}
          value={key}
          onValue={setKey}
          choices={KEYS.map((value) => ({ value, text: texts.keys[value] }))}
        />
        <Button type="submit">{texts.press}</Button>
      </form>
      <form onSubmit={submit({ type: 'scroll', to })} className="flex items-end gap-2">
        <Select
          label={texts.scroll}
          value={to}
          onValue={setTo}
          choices={TARGETS.map((value) => ({ value, text: settings.scrolls[value] }))}
        />
        <Button type="submit">{settings.steps.scroll}</Button>
      </form>
      <form
        onSubmit={submit({ type: 'click', selector: selector.trim() })}
        className="flex min-w-64 flex-1 items-end gap-2"
      >
        <div className="min-w-0 flex-1">
          <TextField
            label={texts.bySelector}
            dir="ltr"
            spellCheck={false}
            autoCapitalize="none"
            placeholder="#search"
            value={selector}
            onChange={(event) => setSelector(event.target.value)}
            className="font-mono text-xs"
          />
        </div>
        <Button type="submit" disabled={!isChosen}>
          {texts.click}
        </Button>
        <Button disabled={!isChosen} onClick={() => send({ type: 'wait', selector: selector.trim(), ms: WAIT_MS })}>
          {texts.waitFor}
        </Button>
      </form>
    </div>
  );
}

/** The options of a list that was clicked: the browser of the page does not draw them. */
export function ListChoice({ list, send }: Props & { readonly list: NonNullable<RecorderStep['list']> }) {
  const [value, setValue] = useState(list.options.find(({ selected }) => selected)?.value ?? '');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    send({ type: 'select', selector: list.selector, value });
  };
  return (
    <form onSubmit={submit} className="mt-3 flex items-end gap-2">
      <Select
        label={texts.list}
        value={value}
        onValue={setValue}
        choices={list.options.map((option) => ({ value: option.value, text: option.label || option.value }))}
      />
      <Button type="submit" kind="primary">
        {texts.choose}
      </Button>
    </form>
  );
}
