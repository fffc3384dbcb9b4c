import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../routing/root.ts';
import { words } from '../../words/frame.ts';

export const loginsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/logins',
  staticData: { crumb: words.nav.logins },
  component: lazyRouteComponent(() => import('./logins-page.tsx'), 'LoginsPage'),
});
