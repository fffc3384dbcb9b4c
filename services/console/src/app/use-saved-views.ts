import { useLocation, useRouter } from '@tanstack/react-router';
import { useRead } from '../api/queries.ts';
import { useWrite } from '../api/writes.ts';
import { act } from '../parts/act.ts';
import { words } from '../words/words.ts';
import type { Entry } from './palette-matches.ts';

interface SavedViews {
  readonly entries: readonly Entry[];
  /** Saves the open page under the entered name; undefined without a name. */
  readonly save: Entry | undefined;
}

/** The saved views of the person, and the action that saves the open page with its filters. */
export function useSavedViews(text: string): SavedViews {
  const router = useRouter();
  const { href } = useLocation();
  const views = useRead('GET /auth/views', {});
  const { send } = useWrite('POST /auth/views', ['GET /auth/views']);
  const name = text.trim();
  return {
    entries: (views.data?.data ?? []).map((view) => ({
      group: words.palette.views,
      text: view.name,
      detail: '',
      open: () => router.history.push(view.path),
    })),
    save:
      name === ''
        ? undefined
        : {
            group: words.palette.actions,
            text: words.palette.saveView(name),
            detail: '',
            open: () => void act(() => send({ body: { name, path: href } }), words.palette.viewSaved(name)),
          },
  };
}
