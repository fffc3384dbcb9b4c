import { clickhouseKind } from '../destinations/clickhouse/clickhouse-kind.ts';
import type { DriverKind } from '../destinations/driver.ts';
import { mysqlKind } from '../destinations/mysql/mysql-kind.ts';
import { azureKind } from '../destinations/objects/azure/azure-kind.ts';
import { s3Kind } from '../destinations/objects/s3/s3-kind.ts';
import { sftpKind } from '../destinations/objects/sftp/sftp-kind.ts';
import { postgresKind } from '../destinations/postgres/postgres-kind.ts';

/** Every kind of destination. */
export const DRIVER_KINDS: readonly DriverKind[] = [
  postgresKind,
  mysqlKind,
  clickhouseKind,
  s3Kind,
  azureKind,
  sftpKind,
];

/** Returns the kind with this name; undefined if there is none. */
export const driverKindOf = (kind: string): DriverKind | undefined => DRIVER_KINDS.find((each) => each.kind === kind);
