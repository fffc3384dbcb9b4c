import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { Billing } from '@tidemark/sdk';
import { useRead } from '../../api/queries.ts';
import { useCan } from '../../api/session.ts';
import { PageHead } from '../../parts/panel.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { words } from '../../words/words.ts';
import { BILLING_TABS } from './billing-view.ts';
import { Credits } from './credits.tsx';
import { BillingDetails } from './details.tsx';
import { Invoices } from './invoices.tsx';
import { Limits } from './limits.tsx';
import { Packs } from './packs.tsx';
import { PlanPanel } from './plan-panel.tsx';
import { Plans } from './plans.tsx';
import { Spend } from './spend.tsx';

const { billing: texts } = words;
/** Poll interval while the gateway has not confirmed a payment, ms. */
const PENDING_MS = 3_000;

/** Plan, credits, payments, invoices and limits of the workspace. */
export function BillingPage() {
  const { payment } = useSearch({ from: '/billing' });
  const billing = useRead('GET /me/billing', {}, { refetchInterval: payment === 'pending' ? PENDING_MS : false });
  return (
    <>
      <PageHead title={texts.title} />
      <Loaded of={billing}>{(data) => <Content billing={data} />}</Loaded>
    </>
  );
}

function Content({ billing }: { billing: Billing }) {
  if (billing.gateway !== null) return <Account billing={billing} />;
  if (billing.paidBy === null)
    return (
      <Empty title={texts.notSold} hint={texts.notSoldHint}>
        <Link to="/usage" className="underline">
          {words.nav.usage}
        </Link>
      </Empty>
    );
  return (
    <>
      <p className="mb-4 text-muted">{texts.paidBy}</p>
      <Credits billing={billing} />
      <Spend billing={billing} />
    </>
  );
}

function Account({ billing }: { billing: Billing }) {
  const { tab = 'plan', payment } = useSearch({ from: '/billing' });
  const navigate = useNavigate({ from: '/billing' });
  const canPay = useCan('admin');
  return (
    <>
      {payment === undefined ? null : (
        <p
          role="status"
          className={`mb-4 rounded-lg px-4 py-2 ${payment === 'confirmed' ? 'bg-good-tint' : 'bg-warn-tint'}`}
        >
          {texts[payment]}
        </p>
      )}
      {canPay ? null : <p className="mb-4 text-muted">{texts.readOnly}</p>}
      <Tabs
        label={texts.title}
        tabs={BILLING_TABS.map((key) => ({ key, text: texts.tabs[key] }))}
        current={tab}
        onChoose={(key) => void navigate({ search: { tab: key }, replace: true })}
      >
        {tab === 'plan' ? <PlanTab billing={billing} canPay={canPay} /> : null}
        {tab === 'limits' ? <Limits billing={billing} canPay={canPay} /> : null}
        {tab === 'invoices' ? <Invoices /> : null}
        {tab === 'details' ? <BillingDetails billing={billing} canPay={canPay} /> : null}
      </Tabs>
    </>
  );
}

function PlanTab({ billing, canPay }: { billing: Billing; canPay: boolean }) {
  return (
    <>
      <PlanPanel billing={billing} canPay={canPay} />
      <Credits billing={billing} />
      <Plans billing={billing} canPay={canPay} />
      {billing.packs.length === 0 ? null : <Packs billing={billing} canPay={canPay} />}
      <Spend billing={billing} />
    </>
  );
}
