import { ChevronDown } from 'lucide-react';
import {
  type InputHTMLAttributes,
  type ReactNode,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useId,
} from 'react';

const CONTROL =
  'w-full min-w-0 rounded-md border border-edge bg-surface px-2.5 py-1.5 text-sm text-ink placeholder:text-muted disabled:opacity-55 aria-invalid:border-bad';

interface Common {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly error?: string | undefined;
  /** The label is read by screen readers only. */
  readonly hideLabel?: boolean;
}

interface Described {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': true | undefined;
}

/** A labelled control with its hint and its error. */
function Labelled({
  label,
  hint,
  error,
  hideLabel = false,
  control,
}: Common & { control: (props: Described) => ReactNode }) {
  const id = useId();
  const ids = [hint === undefined ? '' : `${id}-hint`, error === undefined ? '' : `${id}-error`].filter(
    (one) => one !== '',
  );
  return (
    <div className="min-w-0">
      <label htmlFor={id} className={hideLabel ? 'sr-only' : 'mb-1 block font-medium'}>
        {label}
      </label>
      {control({
        id,
        'aria-describedby': ids.length === 0 ? undefined : ids.join(' '),
        'aria-invalid': error === undefined ? undefined : true,
      })}
      {hint === undefined ? null : (
        <p id={`${id}-hint`} className="mt-1 text-xs text-muted">
          {hint}
        </p>
      )}
      {error === undefined ? null : (
        <p id={`${id}-error`} className="anywhere mt-1 text-xs text-bad">
          {error}
        </p>
      )}
    </div>
  );
}

export function TextField({
  label,
  hint,
  error,
  hideLabel,
  className = '',
  ...rest
}: Common & InputHTMLAttributes<HTMLInputElement>) {
  const common = {
    label,
    ...(hint === undefined ? {} : { hint }),
    error,
    ...(hideLabel === undefined ? {} : { hideLabel }),
  };
  return <Labelled {...common} control={(own) => <input {...rest} {...own} className={`${CONTROL} ${className}`} />} />;
}

export function TextArea({
  label,
  hint,
  error,
  hideLabel,
  className = '',
  ...rest
}: Common & TextareaHTMLAttributes<HTMLTextAreaElement>) {
  const common = {
    label,
    ...(hint === undefined ? {} : { hint }),
    error,
    ...(hideLabel === undefined ? {} : { hideLabel }),
  };
  return (
    <Labelled {...common} control={(own) => <textarea {...rest} {...own} className={`${CONTROL} ${className}`} />} />
  );
}

export interface Choice<Value extends string> {
  readonly value: Value;
  readonly text: string;
}

interface SelectProps<Value extends string>
  extends Common,
    Omit<SelectHTMLAttributes<HTMLSelectElement>, 'onChange' | 'value'> {
  readonly choices: readonly Choice<Value>[];
  readonly value: Value;
  readonly onValue: (value: Value) => void;
}

/** A native select of typed values. */
export function Select<Value extends string>(props: SelectProps<Value>) {
  const { label, hint, error, hideLabel, choices, value, onValue, className = '', ...rest } = props;
  const common = {
    label,
    ...(hint === undefined ? {} : { hint }),
    error,
    ...(hideLabel === undefined ? {} : { hideLabel }),
  };
  const choose = (text: string) => {
    const chosen = choices.find((one) => one.value === text);
    if (chosen !== undefined) onValue(chosen.value);
  };
  return (
    <Labelled
      {...common}
      control={(own) => (
        <span className={`relative block ${className}`}>
          <select
            {...rest}
            {...own}
            value={value}
            onChange={(event) => choose(event.target.value)}
            className={`${CONTROL} appearance-none truncate pe-8`}
          >
            {choices.map((one) => (
              <option key={one.value} value={one.value}>
                {one.text}
              </option>
            ))}
          </select>
          <ChevronDown
            aria-hidden
            size={16}
            className="pointer-events-none absolute inset-y-0 end-2.5 my-auto text-muted"
          />
        </span>
      )}
    />
  );
}

export function CheckField({
  label,
  hint,
  ...rest
}: { label: string; hint?: ReactNode } & InputHTMLAttributes<HTMLInputElement>) {
  const id = useId();
  return (
    <div className="flex items-start gap-2">
      <input {...rest} id={id} type="checkbox" className="mt-1 size-4 accent-accent" />
      <div className="anywhere min-w-0">
        <label htmlFor={id}>{label}</label>
        {hint === undefined ? null : <p className="text-xs text-muted">{hint}</p>}
      </div>
    </div>
  );
}
