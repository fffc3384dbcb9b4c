import { type Expression, sql } from 'kysely';

/** The place of a named value in a compiled statement. */
export class ParamMarker {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** The values of a prepared statement, by name, as expressions of its query. */
export type Params<Values extends object> = {
  readonly [Name in keyof Values]-?: Expression<Values[Name]>;
};

/** Returns an expression for any name that a query reads. */
export function paramsOf<Values extends object>(): Params<Values>;
export function paramsOf(): object {
  return new Proxy({}, { get: (_, name) => sql.val(new ParamMarker(String(name))) });
}
