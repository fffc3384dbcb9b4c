import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../routing/root.ts';
import { words } from '../../words/frame.ts';

/** The gateway sends this page with a content security policy of its own. It is opened as a document, and never by the router. */
export const checkoutRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/billing/checkout',
  staticData: { crumb: words.crumbs.checkout },
  // The other pages are not opened under the policy of this document.
  onLeave: () => location.reload(),
  component: lazyRouteComponent(() => import('./checkout-page.tsx'), 'CheckoutPage'),
});
