import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../routing/root.ts';
import { textIn } from '../../routing/search.ts';
import { words } from '../../words/frame.ts';

export const newProjectRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/projects/new',
  staticData: { crumb: words.crumbs.newProject },
  validateSearch: (search: Record<string, unknown>): { readonly urls?: string | undefined } => ({
    urls: textIn(search, 'urls'),
  }),
  component: lazyRouteComponent(() => import('./new-project-page.tsx'), 'NewProjectPage'),
});
