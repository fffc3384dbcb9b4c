import type { DriverKind } from '../../driver.ts';
import { MAX_CELL_BYTES, OBJECT_MODES, ObjectDriver } from '../object-driver.ts';
import { S3Target } from './s3-target.ts';

/** Amazon S3 and compatible services. */
export const s3Kind: DriverKind = {
  kind: 's3',
  stores: 'files',
  modes: OBJECT_MODES,
  maxCellBytes: MAX_CELL_BYTES,
  alsoPorts: [],
  open: ({ config, secrets }, dialTcp) => {
    const settings = {
      endpoint: config['endpoint'] ?? '',
      region: config['region'] ?? 'us-east-1',
      bucket: config['bucket'] ?? '',
      accessKeyId: config['access_key_id'] ?? '',
      secretAccessKey: secrets['secret_access_key'] ?? '',
      hasPathStyle: config['path_style'] !== 'off',
    };
    return new ObjectDriver(new S3Target(settings, dialTcp), dialTcp);
  },
};
