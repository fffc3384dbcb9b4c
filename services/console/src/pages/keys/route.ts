import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../routing/lazy-page.ts';
import { rootRoute } from '../../routing/root.ts';
import { words } from '../../words/frame.ts';

export const keysRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/keys',
  staticData: { crumb: words.nav.keys },
  component: lazyPage(() => import('./keys-page.tsx'), 'KeysPage'),
});
