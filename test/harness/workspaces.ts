import { ALL_PROJECTS, accessToWire, OPERATOR, onlyProjects, onOwnBehalf, type Scope } from '@tidemark/contracts';
import { IdentityServiceService as Identity } from '@tidemark/contracts/identity/v1/identity';
import { codeOf } from '@tidemark/errors';
import type { Peer } from '@tidemark/service';
import { until } from '@tidemark/testkit';
import { type Api, apiOf } from './api.ts';
import { TEST_PLAN } from './catalogue.ts';

export interface NewKey {
  readonly scopes?: readonly Scope[];
  /** Projects the key may read; all by default. */
  readonly projects?: readonly string[];
  readonly rpm?: number;
  readonly expiresInDays?: number;
}

/** A workspace for one test, and a client for a key of each scope. */
export interface Workspace {
  readonly id: string;
  readonly admin: Api;
  readonly writer: Api;
  readonly reader: Api;
}

export interface MadeKey extends Api {
  readonly keyId: string;
}

/** Repeats a call that a service or its database refuses as unavailable: suites that start side by side can exhaust a small machine. */
async function whileUnavailable<T>(call: () => Promise<T>): Promise<T> {
  const settled = await until('the call to be accepted', async () => {
    const [result] = await Promise.allSettled([call()]);
    return result.status === 'rejected' && codeOf(result.reason) === 'unavailable' ? undefined : result;
  });
  if (settled.status === 'rejected') throw settled.reason;
  return settled.value;
}

/** Creates workspaces and keys as the operator does, by calls to identity. */
export class Workspaces {
  readonly #identity: Peer;
  readonly #url: string;

  constructor(identity: Peer, url: string) {
    this.#identity = identity;
    this.#url = url;
  }

  async make(plan = TEST_PLAN): Promise<Workspace> {
    const requestId = crypto.randomUUID();
    const request = { name: 'a test', plan, idempotencyKey: '' };
    const { workspace } = await whileUnavailable(() =>
      this.#identity.call(Identity.createWorkspace, request, { requestId }),
    );
    if (workspace === undefined) throw new Error('identity made no workspace');
    const { id } = workspace;
    const [admin, writer, reader] = await Promise.all([
      this.key(id, { scopes: ['admin'] }),
      this.key(id, { scopes: ['write'] }),
      this.key(id, { scopes: ['read'] }),
    ]);
    return { id, admin, writer, reader };
  }

  async key(workspaceId: string, { scopes = ['write'], projects, rpm, expiresInDays }: NewKey = {}): Promise<MadeKey> {
    const caller = onOwnBehalf(OPERATOR, workspaceId);
    const access = accessToWire(projects === undefined ? ALL_PROJECTS : onlyProjects(projects));
    const request = { name: 'a test', scopes: [...scopes], access, rpm, expiresInDays };
    const { key, secret } = await whileUnavailable(() =>
      this.#identity.call(Identity.createKey, request, { requestId: crypto.randomUUID(), caller }),
    );
    if (key === undefined) throw new Error('identity made no key');
    return { ...apiOf(this.#url, secret), keyId: key.id };
  }
}
