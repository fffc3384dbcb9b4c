import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../routing/root.ts';
import { oneOf, textIn } from '../../routing/search.ts';
import { words } from '../../words/frame.ts';
import { BILLING_TABS, type BillingSearch, PAYMENT_STATES, PERIODS } from './billing-view.ts';

export const billingRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/billing',
  staticData: { crumb: words.nav.billing },
  validateSearch: (search: Record<string, unknown>): BillingSearch => ({
    tab: oneOf(search, 'tab', BILLING_TABS),
    period: oneOf(search, 'period', PERIODS),
    currency: textIn(search, 'currency'),
    payment: oneOf(search, 'payment', PAYMENT_STATES),
  }),
  component: lazyRouteComponent(() => import('./billing-page.tsx'), 'BillingPage'),
});
