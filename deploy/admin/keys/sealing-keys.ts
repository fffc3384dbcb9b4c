import { Sealer } from '@tidemark/sealing';

/** The sealing keys of an installation. */
export interface SealingKeys {
  readonly sealer: Sealer;
  /** Of every key, the current one first, 8 hex digits: what identifies a key without revealing it. */
  readonly fingerprints: readonly string[];
}

/** Reads keys in the form of SEALING_KEYS. @throws Error naming the position of a key that is none */
export function readSealingKeys(keys: string): SealingKeys {
  const sealer = new Sealer(keys);
  return { sealer, fingerprints: sealer.fingerprints };
}
