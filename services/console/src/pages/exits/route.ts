import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../routing/lazy-page.ts';
import { rootRoute } from '../../routing/root.ts';
import { words } from '../../words/frame.ts';

export const exitsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/exits',
  staticData: { crumb: words.nav.exits },
  component: lazyPage(() => import('./exits-page.tsx'), 'ExitsPage'),
});
