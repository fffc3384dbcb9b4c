import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../routing/lazy-page.ts';
import { rootRoute } from '../../routing/root.ts';
import { words } from '../../words/frame.ts';

export const loginsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/logins',
  staticData: { crumb: words.nav.logins },
  component: lazyPage(() => import('./logins-page.tsx'), 'LoginsPage'),
});
