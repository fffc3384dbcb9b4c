/** Names of file formats, the same in every language. */
const NAMES: Readonly<Record<string, string>> = {
  jsonl: 'JSON Lines',
  csv: 'CSV',
  parquet: 'Parquet',
  xlsx: 'Excel',
  zip: 'ZIP',
  txt: 'Text',
  wacz: 'WACZ',
  warc: 'WARC',
};

/** Returns the name of a file format; one that is not known is named by its ending. */
export const formatName = (format: string): string => NAMES[format] ?? format;
