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
