import type { DriverKind } from './destinations/driver.ts';
import { postgresKind } from './destinations/postgres/postgres-kind.ts';

/** Every kind of destination. */
export const DRIVER_KINDS: readonly DriverKind[] = [postgresKind];

/** Returns the kind with this name; undefined if there is none. */
export const driverKindOf = (kind: string): DriverKind | undefined => DRIVER_KINDS.find((each) => each.kind === kind);
