import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../routing/root.ts';
import { words } from '../../words/words.ts';

export const accountRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/account',
  staticData: { crumb: words.account.title },
  component: lazyRouteComponent(() => import('./account-page.tsx'), 'AccountPage'),
});
