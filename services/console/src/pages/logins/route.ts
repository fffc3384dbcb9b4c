import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../routing/root.ts';
import { words } from '../../words/words.ts';

export const loginsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/logins',
  staticData: { crumb: words.logins.title },
  component: lazyRouteComponent(() => import('./logins-page.tsx'), 'LoginsPage'),
});
