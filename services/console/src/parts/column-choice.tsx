import { CheckField } from './field.tsx';

interface Column {
  readonly name: string;
  readonly type: string;
  readonly description: string;
}

interface Props {
  readonly label: string;
  readonly hint: string;
  readonly columns: readonly Column[];
  /** Names in the order of the file; none: all. */
  readonly chosen: readonly string[];
  readonly onChoose: (names: readonly string[]) => void;
}

/** Chooses columns of a dataset, in the order of the choice. */
export function ColumnChoice({ label, hint, columns, chosen, onChoose }: Props) {
  const toggle = (name: string) =>
    onChoose(chosen.includes(name) ? chosen.filter((one) => one !== name) : [...chosen, name]);
  return (
    <fieldset className="min-w-0">
      <legend className="font-medium">{label}</legend>
      <p className="mb-2 text-xs text-muted">{hint}</p>
      <div className="grid max-h-56 gap-2 overflow-y-auto rounded-md border border-line p-3 sm:grid-cols-2">
        {columns.map(({ name, type, description }) => (
          <CheckField
            key={name}
            label={name}
            hint={`${type} · ${description}`}
            checked={chosen.includes(name)}
            onChange={() => toggle(name)}
          />
        ))}
      </div>
    </fieldset>
  );
}
