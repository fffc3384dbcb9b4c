import { Braces } from 'lucide-react';
import { type ReactNode, useId, useState } from 'react';
import { words } from '../../words/words.ts';
import { Button } from '../button.tsx';
import { TextArea } from '../field.tsx';

const { settings: texts } = words;
const MAX_ROWS = 14;

interface Props {
  readonly label: string;
  readonly hint: ReactNode;
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly error: string | undefined;
  readonly disabled: boolean;
  /** The form; undefined if the value has a shape that only JSON can show. */
  readonly form: ReactNode | undefined;
}

/** A form for a structured value, with its JSON as the second view. */
export function FormOrJson({ label, hint, text, onText, error, disabled, form }: Props) {
  const id = useId();
  const [isJson, setJson] = useState(false);
  if (form === undefined || isJson)
    return (
      <div>
        <TextArea
          label={label}
          hint={
            <>
              {hint} {form === undefined ? texts.onlyJson : ''}
            </>
          }
          error={error}
          disabled={disabled}
          dir="ltr"
          spellCheck={false}
          rows={Math.min(MAX_ROWS, Math.max(3, text.split('\n').length))}
          value={text}
          onChange={(event) => onText(event.target.value)}
          className="font-mono text-xs"
        />
        {form === undefined ? null : (
          <Button kind="quiet" className="mt-1 -ms-3 text-xs" onClick={() => setJson(false)}>
            {texts.asForm}
          </Button>
        )}
      </div>
    );
  return (
    <fieldset
      disabled={disabled}
      aria-describedby={error === undefined ? undefined : `${id}-error`}
      className="min-w-0"
    >
      <legend className="mb-1 font-medium">{label}</legend>
      <p className="mb-2 text-xs text-muted">{hint}</p>
      {form}
      {error === undefined ? null : (
        <p id={`${id}-error`} className="anywhere mt-1 text-xs text-bad">
          {error}
        </p>
      )}
      <div className="mt-1">
        <Button kind="quiet" className="-ms-3 text-xs" onClick={() => setJson(true)}>
          <Braces aria-hidden size={14} />
          {texts.asJson}
        </Button>
      </div>
    </fieldset>
  );
}
