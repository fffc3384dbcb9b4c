import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../routing/lazy-page.ts';
import { projectRoute } from '../../routing/project.ts';
import { oneOf, textIn } from '../../routing/search.ts';
import { words } from '../../words/frame.ts';
import { MODES, type RecorderView } from './recorder-view.ts';

export const recorderRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/recorder',
  staticData: { crumb: words.project.recorder },
  validateSearch: (search: Record<string, unknown>): RecorderView => ({
    url: textIn(search, 'url'),
    mode: oneOf(search, 'mode', MODES),
  }),
  component: lazyPage(() => import('./recorder-page.tsx'), 'RecorderPage'),
});
