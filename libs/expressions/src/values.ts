import { type CelInput, isCelList, isCelMap, isCelType, isCelUint } from '@bufbuild/cel';
import { isMessage } from '@bufbuild/protobuf';
import { isReflectMessage } from '@bufbuild/protobuf/reflect';
import {
  type Duration,
  DurationSchema,
  TimestampSchema,
  timestampDate,
  timestampFromDate,
} from '@bufbuild/protobuf/wkt';
import { MAX_LIST } from './bounded-functions.ts';
import { ExpressionError } from './expression.ts';

/** Type of a variable. `list` is a list of texts; `json` is any JSON value, whose numbers are doubles. */
export type VariableType = 'text' | 'int' | 'double' | 'bool' | 'time' | 'list' | 'json';

export interface Variable {
  readonly name: string;
  readonly type: VariableType;
  /** The members of a `json` variable, so that an unknown one is refused when the expression is compiled. Absent: any. */
  readonly members?: Members;
}

/** Names of members; `any`: its own members are not known. */
export interface Members {
  readonly [name: string]: Members | 'any';
}

/** Deepest JSON value an expression may receive or return. */
const MAX_DEPTH = 32;

/** Converts a value of a row to the type of its variable. Missing values are null. @throws ExpressionError if the value does not have the type, or exceeds a bound */
export function toCel(value: unknown, { name, type }: Variable): CelInput {
  if (value === null || value === undefined) return null;
  if (type === 'int' && typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value);
  if (type === 'time' && (typeof value === 'string' || value instanceof Date)) return toTimestamp(value, name);
  if (type === 'double' && typeof value === 'number') return value;
  if (type === 'text' && typeof value === 'string') return value;
  if (type === 'bool' && typeof value === 'boolean') return value;
  if (type === 'list' || type === 'json') return fromJson(value, name, 0);
  throw new ExpressionError(`${name} is ${typeof value} in this row; expected ${type}`);
}

function toTimestamp(value: string | Date, name: string): CelInput {
  const date = new Date(value);
  if (Number.isNaN(date.getTime())) throw new ExpressionError(`${name} is no time in this row`);
  return timestampFromDate(date);
}

function fromJson(value: unknown, name: string, depth: number): CelInput {
  if (depth > MAX_DEPTH) throw new ExpressionError(`${name} is nested deeper than ${MAX_DEPTH} levels in this row`);
  if (value === null || value === undefined) return null;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  if (Array.isArray(value)) {
    if (value.length > MAX_LIST)
      throw new ExpressionError(
        `${name} has a list of ${value.length} values in this row; at most ${MAX_LIST} are read`,
      );
    return value.map((item) => fromJson(item, name, depth + 1));
  }
  if (typeof value !== 'object') throw new ExpressionError(`${name} holds a ${typeof value} in this row`);
  return new Map(Object.entries(value).map(([key, item]) => [key, fromJson(item, name, depth + 1)]));
}

/** Converts a result to plain values: JSON, `bigint` for int, `Date` for timestamps. @throws ExpressionError for values that have no such form */
export function fromCel(value: unknown, depth = 0): unknown {
  if (depth > MAX_DEPTH) throw new ExpressionError(`the result is nested deeper than ${MAX_DEPTH} levels`);
  if (isCelUint(value)) return value.value;
  if (isCelList(value)) return [...value].map((item) => fromCel(item, depth + 1));
  if (isCelMap(value))
    return Object.fromEntries([...value].map(([key, item]) => [String(fromCel(key)), fromCel(item, depth + 1)]));
  if (isCelType(value)) return value.name;
  if (isReflectMessage(value)) {
    if (isMessage(value.message, TimestampSchema)) return timestampDate(value.message);
    if (isMessage(value.message, DurationSchema)) return secondsOf(value.message);
  }
  const plain = value === null || ['string', 'number', 'bigint', 'boolean'].includes(typeof value);
  if (!plain) throw new ExpressionError('the result is neither text, number, bool, time, list nor map');
  return value;
}

function secondsOf({ seconds, nanos }: Duration): number {
  return Number(seconds) + nanos / 1e9;
}
