import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../routing/lazy-page.ts';
import { rootRoute } from '../../routing/root.ts';
import { words } from '../../words/frame.ts';

export const noticesRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/notices',
  staticData: { crumb: words.nav.notices },
  component: lazyPage(() => import('./notices-page.tsx'), 'NoticesPage'),
});
