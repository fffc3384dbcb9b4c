import { createRoute } from '@tanstack/react-router';
import { LAYOUTS } from '../../parts/diff/layouts.ts';
import { lazyPage } from '../../routing/lazy-page.ts';
import { projectRoute } from '../../routing/project.ts';
import { flagIn, oneOf, textIn } from '../../routing/search.ts';
import { words } from '../../words/frame.ts';
import { type ChangesView, KINDS, SINCE, VIEWS } from './changes-view.ts';

export const changesRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/changes',
  staticData: { crumb: words.project.changes, isWhole: true },
  validateSearch: (search: Record<string, unknown>): ChangesView => ({
    run: textIn(search, 'run'),
    since: oneOf(search, 'since', SINCE),
    kind: oneOf(search, 'kind', KINDS),
    unreviewed: flagIn(search, 'unreviewed'),
    change: textIn(search, 'change'),
    ignored: flagIn(search, 'ignored'),
    view: oneOf(search, 'view', VIEWS),
    layout: oneOf(search, 'layout', LAYOUTS),
    all: flagIn(search, 'all'),
  }),
  component: lazyPage(() => import('./changes-page.tsx'), 'ChangesPage'),
});
