import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../routing/root.ts';
import { words } from '../../words/words.ts';

export const noticesRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/notices',
  staticData: { crumb: words.notices.title },
  component: lazyRouteComponent(() => import('./notices-page.tsx'), 'NoticesPage'),
});
