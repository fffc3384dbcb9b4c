import { type ClientOptions, Core } from './core.ts';
import { type Item, items, type ListRoute } from './paging.ts';
import type { Init, InitArgument, Result, Route } from './routes.ts';

/** Calls routes of the contract: the client without its helpers for jobs and projects, for pages whose scripts have to be small. */
export class RouteClient {
  protected readonly core: Core;

  constructor(options: ClientOptions | string = {}) {
    this.core = new Core(typeof options === 'string' ? { apiKey: options } : options);
  }

  /** Calls any route of the contract, such as `GET /projects/{id}`. */
  call<R extends Route>(route: R, ...init: InitArgument<R>): Promise<Result<R>> {
    return this.core.call(route, ...init);
  }

  /** Calls a route like `call`, with the request as one required value: for code that is generic over routes. */
  send<R extends Route>(route: R, init: Init<R>): Promise<Result<R>> {
    return this.core.send(route, init);
  }

  /** Returns one page of a list: the first, or the one that a cursor leads to. */
  page<R extends ListRoute>(route: R, init: Init<R>, cursor = ''): Promise<Result<R>> {
    const query = { ...init.query, ...(cursor === '' ? {} : { cursor }) };
    return this.core.send(route, { ...init, query });
  }

  /** Yields the items of any list of the contract and requests its pages as they are consumed. */
  list<R extends ListRoute>(route: R, ...[init]: InitArgument<R>): AsyncGenerator<Item<R>, void, undefined> {
    return items(this.core, route, init ?? {});
  }
}
