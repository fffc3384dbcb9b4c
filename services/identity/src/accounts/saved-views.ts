import { isId, newId } from '@tidemark/contracts';
import { AppError } from '@tidemark/errors';
import type { Member, SavedViewRecord, ViewStore } from '../store/view-store.ts';

/** Views of one member in one workspace. */
const MAX_VIEWS = 100;

/** A view to save. */
export interface NewView {
  readonly name: string;
  readonly path: string;
}

/** The use cases of saved views. All concern the views of one member. */
export interface SavedViews {
  readonly list: (member: Member) => Promise<SavedViewRecord[]>;
  /** @throws AppError conflict for more than 100 views */
  readonly save: (member: Member, view: NewView) => Promise<SavedViewRecord>;
  /** @throws AppError not_found */
  readonly rename: (member: Member, view: { readonly id: string; readonly name: string }) => Promise<SavedViewRecord>;
  /** @throws AppError not_found */
  readonly delete: (member: Member, id: string) => Promise<void>;
}

const unknownView = () => new AppError('not_found', 'saved view not found');

export function makeSavedViews({ views }: { readonly views: ViewStore }): SavedViews {
  return {
    list: (member) => views.list(member),
    save: async (member, { name, path }) => {
      const id = newId('viw');
      if (!(await views.add({ ...member, id, name: name.trim(), path, max: MAX_VIEWS })))
        throw new AppError('conflict', `there are ${MAX_VIEWS} saved views; delete one first`);
      const saved = await views.find(member, id);
      if (saved === undefined) throw unknownView();
      return saved;
    },
    rename: async (member, { id, name }) => {
      const renamed = isId('viw', id) ? await views.rename(member, id, name.trim()) : undefined;
      if (renamed === undefined) throw unknownView();
      return renamed;
    },
    delete: async (member, id) => {
      if (!isId('viw', id) || !(await views.delete(member, id))) throw unknownView();
    },
  };
}
