import { DATASET_NAMES, EXPORT_FORMATS } from '@tidemark/datasets';
import { z } from 'zod';
import { wholeList } from './parts.ts';

const ColumnEntry = z
  .object({
    name: z.string(),
    type: z.enum(['text', 'int', 'int64', 'double', 'bool', 'time', 'list', 'json']),
    nullable: z.boolean(),
    description: z.string(),
  })
  .meta({ id: 'DatasetColumn' });

const DatasetEntry = z
  .object({
    name: z.enum(DATASET_NAMES),
    description: z.string(),
    formats: z.array(z.enum(EXPORT_FORMATS)).describe('The first is the default'),
    perRun: z.boolean().describe('Whether the dataset belongs to a run; the sitemap belongs to the site'),
    key: z.array(z.string()).describe('The columns that identify a row within a project'),
    columns: z.array(ColumnEntry).describe('For the dataset fields, one more column per configured field'),
  })
  .meta({ id: 'Dataset' });

/** Response of GET /exports. */
export const ExportCatalogue = z
  .object({ data: z.array(DatasetEntry), ...wholeList, creditsUsed: z.int(), request_id: z.string() })
  .meta({ id: 'ExportCatalogue' });
