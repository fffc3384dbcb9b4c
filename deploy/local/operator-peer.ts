import { OPERATOR } from '@tidemark/contracts';
import { dial, fleetAccess, type Peer } from '@tidemark/service';
import { fleetKeys } from './local-keys.ts';

/** Connects to a service of the local stack in `dataDir`, as the operator. */
export const operatorPeer = (dataDir: string, service: string, address: string): Peer =>
  dial(service, address, fleetAccess(OPERATOR, { ...process.env, FLEET_KEYS: fleetKeys(dataDir) }));
