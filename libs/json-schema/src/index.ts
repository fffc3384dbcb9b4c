export { checkSchema, type JsonSchema, SCHEMA_LIMITS, type SchemaFault } from './check-schema.ts';
export { type Mismatch, type Validation, validateJson } from './validate-json.ts';
