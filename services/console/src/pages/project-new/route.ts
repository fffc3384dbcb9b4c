import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../routing/root.ts';
import { textIn } from '../../routing/search.ts';
import { words } from '../../words/words.ts';

export const newProjectRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/projects/new',
  staticData: { crumb: words.projects.create.title },
  validateSearch: (search: Record<string, unknown>): { readonly urls?: string | undefined } => ({
    urls: textIn(search, 'urls'),
  }),
  component: lazyRouteComponent(() => import('./new-project-page.tsx'), 'NewProjectPage'),
});
