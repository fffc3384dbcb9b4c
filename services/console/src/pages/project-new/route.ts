import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../routing/lazy-page.ts';
import { rootRoute } from '../../routing/root.ts';
import { flagIn, textIn } from '../../routing/search.ts';
import { words } from '../../words/frame.ts';

export const newProjectRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/projects/new',
  staticData: { crumb: words.crumbs.newProject },
  validateSearch: (
    search: Record<string, unknown>,
  ): { readonly urls?: string | undefined; readonly many?: true | undefined } => ({
    urls: textIn(search, 'urls'),
    many: flagIn(search, 'many'),
  }),
  component: lazyPage(() => import('./new-project-page.tsx'), 'NewProjectPage'),
});
