import { addressOf, type OwnFleet, SHARED_FLEET, startFleet } from './fleet.ts';

let shared: OwnFleet | undefined;

/** Starts the stack that the contract, isolation, e2e and security tests share. */
// biome-ignore lint/style/noDefaultExport: jest loads a global setup so.
export default async function setUp(): Promise<void> {
  shared = await startFleet({ console: true });
  process.env[SHARED_FLEET] = JSON.stringify(addressOf(shared.stack));
}

export const tearDown = async (): Promise<void> => shared?.close();
