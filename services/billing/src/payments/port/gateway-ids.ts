/** Stores the ids that a gateway has given to customers and plans. */
export interface GatewayIds {
  find(kind: 'customer' | 'plan', key: string): Promise<string | undefined>;
  /** Stores an id; the first one of a key is kept. @returns the stored id */
  save(kind: 'customer' | 'plan', key: string, id: string): Promise<string>;
}
