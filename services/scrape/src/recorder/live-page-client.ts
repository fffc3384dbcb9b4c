import {
  LivePageServiceService as Live,
  type LivePage,
  type OpenLivePageRequest,
  type OpenLivePageResponse,
} from '@tidemark/contracts/browser/v1/live';
import { codeOf } from '@tidemark/errors';
import type { Peer } from '@tidemark/service';
import type { LivePagePeers } from './live-page-peers.ts';
import type { OpenedRecorder } from './recorder.ts';

/** Instances that are tried if the first has its maximum of live pages; calls are distributed round robin. */
const MAX_INSTANCES = 3;
/** Longer than browser-pool takes to open a page, ms. */
const OPEN_DEADLINE_MS = 40_000;
const STATE_DEADLINE_MS = 3_000;

/** An opened page, and the instance that has it. */
export interface OpenedLivePage {
  readonly response: OpenLivePageResponse;
  readonly address: string;
}

/** Opens, finds and closes live pages in the instances of browser-pool. */
export class LivePageClient {
  readonly #pool: Peer;
  readonly #peers: LivePagePeers;

  /** @param pool all instances */
  constructor(pool: Peer, peers: LivePagePeers) {
    this.#pool = pool;
    this.#peers = peers;
  }

  /** Opens a page in an instance with room. @throws AppError conflict if the tried instances have none, unavailable */
  async open(request: OpenLivePageRequest, signal: AbortSignal): Promise<OpenedLivePage> {
    for (let tried = 1; ; tried += 1) {
      try {
        let address = '';
        const response = await this.#pool.call(
          Live.openLivePage,
          request,
          { requestId: '' },
          {
            deadlineMs: OPEN_DEADLINE_MS,
            signal,
            onReplica: (replica) => {
              address = replica;
            },
          },
        );
        return { response, address };
      } catch (error) {
        if (codeOf(error) !== 'conflict' || tried === MAX_INSTANCES) throw error;
      }
    }
  }

  /** Returns the page of a recorder; undefined if it has ended or its instance can not be reached. */
  async find({ id, workspaceId, address }: OpenedRecorder): Promise<LivePage | undefined> {
    try {
      const peer = this.#peers.at(address);
      const { page } = await peer.call(
        Live.getLivePage,
        { id, workspaceId },
        { requestId: '' },
        { deadlineMs: STATE_DEADLINE_MS },
      );
      return page;
    } catch (error) {
      if (codeOf(error) === 'not_found' || codeOf(error) === 'unavailable') return undefined;
      throw error;
    }
  }

  /** Closes the page of a recorder. An instance that can not be reached closes it as idle. */
  async close({ id, workspaceId, address }: Pick<OpenedRecorder, 'id' | 'workspaceId' | 'address'>): Promise<void> {
    await this.#peers
      .at(address)
      .call(Live.closeLivePage, { id, workspaceId }, { requestId: '' }, { deadlineMs: STATE_DEADLINE_MS })
      .catch(() => undefined);
  }

  /** Returns the connection to the instance that has the page of a recorder. */
  at({ address }: OpenedRecorder): Peer {
    return this.#peers.at(address);
  }
}
