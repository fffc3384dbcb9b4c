import type { DriverKind } from '../../driver.ts';
import { MAX_CELL_BYTES, OBJECT_MODES, ObjectDriver } from '../object-driver.ts';
import { AzureTarget } from './azure-target.ts';

/** Azure Blob Storage. */
export const azureKind: DriverKind = {
  kind: 'azure_blob',
  stores: 'files',
  modes: OBJECT_MODES,
  maxCellBytes: MAX_CELL_BYTES,
  alsoPorts: [],
  open: ({ config, secrets }, dialTcp) => {
    const settings = {
      account: config['account'] ?? '',
      container: config['container'] ?? '',
      endpoint: config['endpoint'] ?? '',
      accountKey: secrets['account_key'] ?? '',
    };
    return new ObjectDriver(new AzureTarget(settings, dialTcp), dialTcp);
  },
};
