import { addressOf, type OwnFleet, SHARED_FLEET, startFleet } from './fleet.ts';

let shared: OwnFleet | undefined;

/** Starts the one stack that contract, isolation, e2e and security share. */
export async function setup(): Promise<void> {
  shared = await startFleet();
  process.env[SHARED_FLEET] = JSON.stringify(addressOf(shared.stack));
}

export async function teardown(): Promise<void> {
  await shared?.close();
}
