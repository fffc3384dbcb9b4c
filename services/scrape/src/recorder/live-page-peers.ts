import type { Peer } from '@tidemark/service';
import { LRUCache } from 'lru-cache';

/** Instances of browser-pool with a connection at once; more than a fleet has. */
const MAX_PEERS = 64;

/** Connections to single instances of browser-pool: a live page exists in one of them. */
export class LivePagePeers {
  readonly #peers: LRUCache<string, Peer>;
  readonly #dial: (address: string) => Peer;

  constructor(dial: (address: string) => Peer) {
    this.#dial = dial;
    this.#peers = new LRUCache({ max: MAX_PEERS, dispose: (peer) => void peer.close() });
  }

  /** Returns the connection to an instance. */
  at(address: string): Peer {
    const known = this.#peers.get(address);
    if (known !== undefined) return known;
    const peer = this.#dial(address);
    this.#peers.set(address, peer);
    return peer;
  }

  close(): void {
    this.#peers.clear();
  }
}
