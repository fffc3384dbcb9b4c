import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { deliveryView } from '../../parts/delivery-view.ts';
import { rootRoute } from '../../routing/root.ts';
import { words } from '../../words/frame.ts';

export const webhooksRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/webhooks',
  staticData: { crumb: words.nav.webhooks },
  validateSearch: deliveryView,
  component: lazyRouteComponent(() => import('./webhooks-page.tsx'), 'WebhooksPage'),
});
