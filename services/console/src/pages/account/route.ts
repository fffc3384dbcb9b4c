import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../routing/lazy-page.ts';
import { rootRoute } from '../../routing/root.ts';
import { words } from '../../words/frame.ts';

export const accountRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/account',
  staticData: { crumb: words.nav.account },
  component: lazyPage(() => import('./account-page.tsx'), 'AccountPage'),
});
