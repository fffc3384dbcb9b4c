import type { Billing } from '@tidemark/sdk';
import { type FormEvent, useState } from 'react';
import { useWrite } from '../../api/writes.ts';
import { act } from '../../parts/act.ts';
import { Button } from '../../parts/button.tsx';
import { countries } from '../../parts/countries.ts';
import { Select, TextArea, TextField } from '../../parts/field.tsx';
import { words } from '../../words/words.ts';

const {
  billing: { details: texts },
} = words;

type Details = NonNullable<Billing['billingDetails']>;
const EMPTY: Details = { legal_name: '', address: '', country: '', state: '', tax_id: '', email: '' };

interface Props {
  readonly details: Details | null;
  /** Text of the button. */
  readonly submit: string;
  readonly isDisabled?: boolean;
  readonly onSaved?: () => void;
}

/** The buyer as invoices name it. */
export function BuyerForm({ details, submit, isDisabled = false, onSaved }: Props) {
  const { send, isSending } = useWrite('PATCH /auth/workspace', ['GET /me/billing']);
  const [draft, setDraft] = useState(details ?? EMPTY);
  const set = (change: Partial<Details>) => setDraft({ ...draft, ...change });
  const save = async (event: FormEvent) => {
    event.preventDefault();
    const isSaved = await act(() => send({ body: { billing_details: draft } }), texts.saved);
    if (isSaved) onSaved?.();
  };
  const isComplete = draft.legal_name.trim() !== '' && /^[A-Z]{2}$/.test(draft.country);
  const common = { disabled: isDisabled, dir: 'auto' } as const;
  return (
    <form onSubmit={(event) => void save(event)} className="grid gap-4 sm:grid-cols-2" noValidate>
      <div className="sm:col-span-2">
        <TextField
          {...common}
          label={texts.name}
          maxLength={200}
          autoComplete="organization"
          value={draft.legal_name}
          onChange={(event) => set({ legal_name: event.target.value })}
        />
      </div>
      <div className="sm:col-span-2">
        <TextArea
          {...common}
          label={texts.address}
          maxLength={500}
          rows={3}
          value={draft.address}
          autoComplete="street-address"
          onChange={(event) => set({ address: event.target.value })}
        />
      </div>
      <Select
        label={texts.country}
        disabled={isDisabled}
        value={draft.country}
        autoComplete="country"
        onValue={(country) => set({ country })}
        choices={[{ value: '', text: texts.chooseCountry }, ...countries()]}
      />
      <TextField
        {...common}
        label={texts.state}
        maxLength={60}
        autoComplete="address-level1"
        value={draft.state}
        onChange={(event) => set({ state: event.target.value })}
      />
      <TextField
        {...common}
        label={texts.taxId}
        hint={texts.taxHint}
        maxLength={40}
        value={draft.tax_id}
        onChange={(event) => set({ tax_id: event.target.value })}
      />
      <TextField
        {...common}
        label={texts.email}
        maxLength={200}
        type="email"
        autoComplete="email"
        value={draft.email}
        onChange={(event) => set({ email: event.target.value })}
      />
      {isDisabled ? null : (
        <div>
          <Button kind="primary" type="submit" disabled={isSending || !isComplete}>
            {submit}
          </Button>
        </div>
      )}
    </form>
  );
}
