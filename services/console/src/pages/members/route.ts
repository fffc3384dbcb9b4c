import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../routing/root.ts';
import { words } from '../../words/frame.ts';

export const membersRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/members',
  staticData: { crumb: words.nav.members },
  component: lazyRouteComponent(() => import('./members-page.tsx'), 'MembersPage'),
});
