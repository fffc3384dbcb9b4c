import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../routing/root.ts';
import { words } from '../../words/frame.ts';

export const noticesRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/notices',
  staticData: { crumb: words.nav.notices },
  component: lazyRouteComponent(() => import('./notices-page.tsx'), 'NoticesPage'),
});
