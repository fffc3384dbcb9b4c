import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { keptCheckout, type OpenCheckout, openCheckout, removeCheckout } from '../../api/checkout.ts';
import { sendFresh } from '../../api/writes.ts';
import { Button, buttonClass } from '../../parts/button.tsx';
import { PageHead, Panel } from '../../parts/panel.tsx';
import { Empty, Loaded, Loading } from '../../parts/states.tsx';
import { words } from '../../words/words.ts';
import { payWithRazorpay } from './razorpay.ts';
import { type Returned, readReturned } from './returned.ts';

const {
  billing: { checkout: texts },
} = words;
type Paid = Extract<Returned, { kind: 'paid' }>;

/** Completes a payment: opens the script of the gateway, or confirms what its page returned. */
export function CheckoutPage() {
  const [checkout] = useState(keptCheckout);
  const [returned, setReturned] = useState(() => readReturned(location.hash));
  return (
    <>
      <PageHead title={texts.title} />
      <Panel>
        {checkout === undefined ? (
          <Empty title={texts.unknown} hint={texts.unknownHint}>
            <Back />
          </Empty>
        ) : returned.kind === 'paid' ? (
          <Confirmation checkout={checkout} paid={returned} />
        ) : returned.kind === 'failed' ? (
          <NotPaid title={texts.failed} hint={texts.failedHint} checkout={checkout} />
        ) : checkout.url === null ? (
          <Script checkout={checkout} onReturned={setReturned} />
        ) : checkout.gateway === 'stripe' ? (
          <Waiting />
        ) : (
          <NotPaid title={texts.closed} hint={texts.closedHint} checkout={checkout} />
        )}
      </Panel>
    </>
  );
}

/** A link of the document: the page of the plan has the strict policy again. */
const Back = () => (
  <a href="/billing" className={buttonClass()}>
    {texts.back}
  </a>
);

function NotPaid({ title, hint, checkout }: { title: string; hint: string; checkout: OpenCheckout }) {
  return (
    <Empty title={title} hint={hint}>
      <div className="flex flex-wrap justify-center gap-2">
        <Button kind="primary" onClick={() => openCheckout(checkout)}>
          {texts.again}
        </Button>
        <Back />
      </div>
    </Empty>
  );
}

/** Leaves to the page of the plan, which shows the payment. */
function leave(payment: 'confirmed' | 'pending'): void {
  removeCheckout();
  location.replace(`/billing?payment=${payment}`);
}

/** A gateway without a signed result confirms by its message alone. */
function Waiting() {
  useQuery({ queryKey: ['left'], queryFn: async () => leave('pending') ?? true, staleTime: Number.POSITIVE_INFINITY });
  return <Loading />;
}

const ONCE = { staleTime: Number.POSITIVE_INFINITY, retry: false, refetchOnWindowFocus: false } as const;

/** Sends the signed result of the payment. */
function Confirmation({ checkout, paid }: { checkout: OpenCheckout; paid: Paid }) {
  const { paymentId, signature } = paid;
  const confirmed = useQuery({
    ...ONCE,
    queryKey: ['confirm', checkout.id, paymentId],
    queryFn: async () => {
      const body = { id: checkout.id, payment_id: paymentId, signature };
      const response = await sendFresh('POST /me/billing/confirm', { body });
      leave('state' in response ? 'pending' : 'confirmed');
      return true;
    },
  });
  return (
    <>
      <Loaded of={confirmed} rows={2}>
        {() => <p role="status">{texts.confirming}</p>}
      </Loaded>
      {confirmed.error === null ? null : (
        <p className="text-center">
          <Back />
        </p>
      )}
    </>
  );
}

/** Runs the script of the gateway, which opens its payment window over this page. */
function Script({ checkout, onReturned }: { checkout: OpenCheckout; onReturned: (returned: Returned) => void }) {
  const [attempt, setAttempt] = useState(0);
  const [isClosed, setClosed] = useState(false);
  const script = useQuery({
    ...ONCE,
    queryKey: ['pay', checkout.id, attempt],
    queryFn: async () => {
      const returned = await payWithRazorpay(checkout, words.product);
      if (returned.kind === 'paid') onReturned(returned);
      else setClosed(true);
      return returned.kind;
    },
  });
  const again = () => {
    setClosed(false);
    setAttempt(attempt + 1);
  };
  if (script.error === null && !isClosed) return <p role="status">{texts.opening}</p>;
  return (
    <Empty
      title={script.error === null ? texts.closed : texts.blocked}
      hint={script.error === null ? texts.closedHint : words.states.offline}
    >
      <div className="flex flex-wrap justify-center gap-2">
        <Button kind="primary" onClick={again}>
          {texts.again}
        </Button>
        <Back />
      </div>
    </Empty>
  );
}
