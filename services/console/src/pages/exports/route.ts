import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../routing/lazy-page.ts';
import { projectRoute } from '../../routing/project.ts';
import { textIn } from '../../routing/search.ts';
import { words } from '../../words/frame.ts';

export const exportsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/exports',
  staticData: { crumb: words.project.exports },
  validateSearch: (search: Record<string, unknown>): ExportsView => ({
    dataset: textIn(search, 'dataset'),
    run: textIn(search, 'run'),
    q: textIn(search, 'q'),
  }),
  component: lazyPage(() => import('./exports-page.tsx'), 'ExportsPage'),
});

/** The part of the URL that opens the dialog of a dataset. */
export interface ExportsView {
  readonly dataset?: string | undefined;
  readonly run?: string | undefined;
  readonly q?: string | undefined;
}
