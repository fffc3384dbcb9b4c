import { AppError } from '@tidemark/errors';
import type { Fields } from './translate.ts';

/** Names of the fields of a request of Firecrawl, by their names in this service. */
export type FieldNames = ReadonlyMap<string, string>;

/** Returns the names from a table: the first name of this service in `becomes` is that of the field. The first field of a name is kept. */
export function namesOf(fields: Fields, prefix = ''): FieldNames {
  const names = new Map<string, string>();
  for (const [name, { becomes }] of Object.entries(fields)) {
    const [, own] = becomes.split('`');
    if (own !== undefined && !names.has(own)) names.set(own, `${prefix}${name}`);
  }
  return names;
}

/** Returns the longest known name at the beginning of the path of a field, with the rest of the path. */
function renamed(path: readonly (string | number)[], names: FieldNames): readonly (string | number)[] {
  for (let length = path.length; length > 0; length -= 1) {
    const name = names.get(path.slice(0, length).join('.'));
    if (name !== undefined) return [...name.split('.'), ...path.slice(length)];
  }
  return path;
}

/** Returns an error about fields of this service with the names that the client sent. Other errors are returned unchanged. */
export function inFirecrawlNames(error: unknown, names: FieldNames): unknown {
  if (!(error instanceof AppError) || error.detail === undefined) return error;
  let { message } = error;
  const detail = error.detail.map((fault) => {
    const [where, ...path] = fault.loc;
    if (where !== 'body') return fault;
    const sent = renamed(path, names);
    message = message.replace(`${path.join('.')}:`, `${sent.join('.')}:`);
    return { ...fault, loc: ['body', ...sent] };
  });
  return new AppError(error.code, message, { detail, httpStatus: error.httpStatus, cause: error });
}
