import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../routing/lazy-page.ts';
import { rootRoute } from '../../routing/root.ts';
import { words } from '../../words/frame.ts';

export const membersRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/members',
  staticData: { crumb: words.nav.members },
  component: lazyPage(() => import('./members-page.tsx'), 'MembersPage'),
});
