import type { Billing } from '@tidemark/sdk';
import { Panel } from '../../parts/panel.tsx';
import { words } from '../../words/words.ts';
import { BuyerForm } from './buyer-form.tsx';

const {
  billing: { details: texts },
} = words;

/** The billing details of the workspace. */
export function BillingDetails({ billing: { billingDetails }, canPay }: { billing: Billing; canPay: boolean }) {
  return (
    <Panel title={texts.title}>
      <p className="mb-4 text-muted">{texts.hint}</p>
      <div className="max-w-2xl">
        <BuyerForm details={billingDetails} submit={texts.save} isDisabled={!canPay} />
      </div>
    </Panel>
  );
}
