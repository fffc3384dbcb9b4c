import { routes } from '@tidemark/api';
import { AccountServiceService as Rpc, type SavedView } from '@tidemark/contracts/identity/v1/accounts';
import { AppError } from '@tidemark/errors';
import type { Peer } from '@tidemark/service';
import { type Endpoint, endpoint } from '../../http/mount.ts';
import { checkedId } from '../../requests/checked-id.ts';
import { WHOLE_LIST } from '../../requests/list-cursors.ts';
import { timeOf } from '../../responses/job-envelope.ts';

const toSavedView = ({ id, name, path, createdAt }: SavedView) => ({ id, name, path, createdAt: timeOf(createdAt) });

function presentView({ view }: { readonly view?: SavedView | undefined }): SavedView {
  if (view === undefined) throw new AppError('internal', 'identity returned no saved view');
  return view;
}

/** Endpoints of saved views. */
export function savedViewEndpoints(identity: Peer): Endpoint[] {
  return [
    endpoint(routes.listSavedViews, async ({ call, requestId }) => {
      const { views } = await identity.call(Rpc.listSavedViews, {}, call);
      return {
        status: 200,
        body: { data: views.map(toSavedView), ...WHOLE_LIST, creditsUsed: 0, request_id: requestId },
      };
    }),
    endpoint(routes.createSavedView, async ({ body, call, requestId }) => {
      const view = presentView(await identity.call(Rpc.saveView, body, call));
      return { status: 201, body: { ...toSavedView(view), creditsUsed: 0, request_id: requestId } };
    }),
    endpoint(routes.patchSavedView, async ({ params, body, call, requestId }) => {
      const rename = { id: checkedId('viw', params.id, 'saved view'), name: body.name };
      const view = presentView(await identity.call(Rpc.renameSavedView, rename, call));
      return { status: 200, body: { ...toSavedView(view), creditsUsed: 0, request_id: requestId } };
    }),
    endpoint(routes.deleteSavedView, async ({ params, call }) => {
      await identity.call(Rpc.deleteSavedView, { id: checkedId('viw', params.id, 'saved view') }, call);
      return { status: 204 };
    }),
  ];
}
