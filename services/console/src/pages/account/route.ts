import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../routing/root.ts';
import { words } from '../../words/frame.ts';

export const accountRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/account',
  staticData: { crumb: words.nav.account },
  component: lazyRouteComponent(() => import('./account-page.tsx'), 'AccountPage'),
});
