import { randomBytes } from 'node:crypto';
import { OPERATOR } from '@tidemark/contracts';
import { dial, fleetAccess, type Peer } from '@tidemark/service';

/** The settings that every service needs to start, with a key of this test process. */
export const fleetEnv: Readonly<{ FLEET_KEYS: string }> = { FLEET_KEYS: randomBytes(32).toString('base64') };

/** Connects to a service of this test process, or of a process with its `fleetEnv`, as the operator. */
export const dialAsOperator = (service: string, address: string): Peer =>
  dial(service, address, fleetAccess(OPERATOR, fleetEnv));
