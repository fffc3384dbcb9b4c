import type { DriverKind, DriverSettings } from '../driver.ts';
import type { PostgresSettings } from './open-client.ts';
import { PostgresDriver } from './postgres-driver.ts';

/** PostgreSQL, and services that speak its protocol. */
export const postgresKind: DriverKind = {
  kind: 'postgres',
  stores: 'table',
  modes: ['upsert', 'append', 'mirror'],
  alsoPorts: [],
  // Texts in jsonb have at most 256 MB - 1 (PostgreSQL, jsonb.h, JENTRY_OFFLENMASK).
  maxCellBytes: 256 * 1024 * 1024 - 1,
  open: (settings, dialTcp) => new PostgresDriver(toPostgresSettings(settings), dialTcp),
};

function toPostgresSettings({ config, secrets }: DriverSettings): PostgresSettings {
  return {
    host: config['host'] ?? '',
    port: Number(config['port']),
    database: config['database'] ?? '',
    schema: config['schema'] ?? 'public',
    user: config['user'] ?? '',
    password: secrets['password'] ?? '',
    tls: config['tls'] === 'off' ? 'off' : 'verify',
    ca: config['ca'] ?? '',
  };
}
