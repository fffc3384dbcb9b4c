import type { DriverKind } from '../../driver.ts';
import { MAX_CELL_BYTES, OBJECT_MODES, ObjectDriver } from '../object-driver.ts';
import { SFTP_PORTS } from './open-sftp.ts';
import { SftpTarget } from './sftp-target.ts';

/** Servers of SFTP. */
export const sftpKind: DriverKind = {
  kind: 'sftp',
  stores: 'files',
  modes: OBJECT_MODES,
  maxCellBytes: MAX_CELL_BYTES,
  alsoPorts: SFTP_PORTS,
  open: ({ config, secrets }, dialTcp) => {
    const settings = {
      host: config['host'] ?? '',
      port: Number(config['port'] ?? 22),
      user: config['user'] ?? '',

      password: secrets['password'] ?? '',
      privateKey: secrets['private_key'] ?? '',

      passphrase: secrets['passphrase'] ?? '',
      directory: config['directory'] ?? '',
      hostKey: config['host_key'] ?? '',
    };
    return new ObjectDriver(new SftpTarget(settings), dialTcp);
  },
};
