import type { DriverKind } from '../driver.ts';
import { ClickhouseDriver } from './clickhouse-driver.ts';

/** ClickHouse, over its HTTP interface. */
export const clickhouseKind: DriverKind = {
  kind: 'clickhouse',
  stores: 'table',
  modes: ['upsert', 'append', 'mirror'],
  alsoPorts: [],
  maxCellBytes: 256 * 1024 * 1024,
  open: ({ config, secrets }, dialTcp) =>
    new ClickhouseDriver(
      {
        host: config['host'] ?? '',
        port: Number(config['port'] ?? 8443),
        database: config['database'] ?? '',

        user: config['user'] ?? '',
        password: secrets['password'] ?? '',
        ca: config['ca'] ?? '',
        tls: config['tls'] === 'off' ? 'off' : 'verify',
      },
      dialTcp,
    ),
};
