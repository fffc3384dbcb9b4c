export { AppError, type AppErrorOptions, type FieldFault } from './app-error.ts';
export { CODES, type ErrorCode, isErrorCode } from './codes.ts';
export { codeOf, messageOf, nameOf } from './read-error.ts';
