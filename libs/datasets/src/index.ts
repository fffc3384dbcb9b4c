export { column, type DatasetColumn, type DatasetColumnType, type DatasetRow, nullable } from './column.ts';
export {
  type ConfiguredField,
  DATASET_NAMES,
  DATASETS,
  type Dataset,
  type DatasetName,
  EXPORT_FORMATS,
  type ExportFormat,
  fieldColumns,
} from './datasets.ts';
export {
  COMPRESSIONS,
  type Compression,
  DESTINATION_DATASETS,
  DESTINATION_FORMATS,
  DESTINATION_MODES,
  type DestinationDataset,
  type DestinationFormat,
  type DestinationMode,
} from './destination-words.ts';
