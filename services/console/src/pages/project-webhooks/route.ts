import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { deliveryView } from '../../parts/delivery-view.ts';
import { projectRoute } from '../../routing/project.ts';
import { words } from '../../words/frame.ts';

export const projectWebhooksRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/webhooks',
  staticData: { crumb: words.project.webhooks },
  validateSearch: deliveryView,
  component: lazyRouteComponent(() => import('./project-webhooks-page.tsx'), 'ProjectWebhooksPage'),
});
