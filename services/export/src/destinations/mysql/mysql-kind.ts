import type { DriverKind } from '../driver.ts';
import { MysqlDriver } from './mysql-driver.ts';

/** MySQL and MariaDB. */
export const mysqlKind: DriverKind = {
  kind: 'mysql',
  stores: 'table',
  modes: ['upsert', 'append', 'mirror'],
  alsoPorts: [],
  // Half of the usual max_allowed_packet, without which a row can be neither inserted nor read.
  maxCellBytes: 8 * 1024 * 1024,
  open: ({ config, secrets }, dialTcp) =>
    new MysqlDriver(
      {
        host: config['host'] ?? '',
        port: Number(config['port'] ?? 3306),
        database: config['database'] ?? '',

        user: config['user'] ?? '',
        password: secrets['password'] ?? '',
        ca: config['ca'] ?? '',
        tls: config['tls'] === 'off' ? 'off' : 'verify',
      },
      dialTcp,
    ),
};
