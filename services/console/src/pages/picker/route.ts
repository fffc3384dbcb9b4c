import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../../routing/project.ts';
import { oneOf, textIn } from '../../routing/search.ts';
import { words } from '../../words/frame.ts';
import { type PickerView, USES } from './picker-view.ts';

export const pickerRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/picker',
  staticData: { crumb: words.project.picker },
  validateSearch: (search: Record<string, unknown>): PickerView => ({
    url: textIn(search, 'url'),
    run: textIn(search, 'run'),
    use: oneOf(search, 'use', USES),
    selector: textIn(search, 'selector'),
  }),
  component: lazyRouteComponent(() => import('./picker-page.tsx'), 'PickerPage'),
});
