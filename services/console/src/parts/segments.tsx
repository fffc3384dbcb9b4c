interface Props<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly choices: readonly { readonly value: Value; readonly text: string }[];
  readonly onValue: (value: Value) => void;
}

/** A choice of a few, all in view. */
export function Segments<Value extends string>({ label, value, choices, onValue }: Props<Value>) {
  return (
    <fieldset className="flex shrink-0 rounded-md border border-line p-0.5">
      <legend className="sr-only">{label}</legend>
      {choices.map((one) => (
        <button
          key={one.value}
          type="button"
          aria-pressed={one.value === value}
          onClick={() => onValue(one.value)}
          className="rounded px-2 py-0.5 text-xs text-muted hover:text-ink aria-pressed:bg-selected aria-pressed:font-medium aria-pressed:text-ink"
        >
          {one.text}
        </button>
      ))}
    </fieldset>
  );
}
