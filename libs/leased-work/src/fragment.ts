/** A value of a statement, by its name. */
export class Param<Name extends string> {
  readonly name: Name;

  constructor(name: Name) {
    this.name = name;
  }
}

/** Names a value that is passed when the statement runs. */
export const param = <Name extends string>(name: Name): Param<Name> => new Param(name);

/** A part of an SQL text with the named values that it needs. Values are never part of the text. */
export class Fragment<Name extends string = never> {
  /** One more than `names`: the text before, between and after the values. */
  readonly texts: readonly string[];
  readonly names: readonly Name[];

  constructor(texts: readonly string[], names: readonly Name[]) {
    this.texts = texts;
    this.names = names;
  }

  /** Returns the text with placeholders, and the names in the order of their numbers. A name that occurs twice has one number. */
  compile(): { readonly text: string; readonly names: readonly Name[] } {
    const names = [...new Set(this.names)];
    const [first = '', ...rest] = this.texts;
    const numbers = new Map<string, number>(names.map((name, at) => [name, at + 1]));
    const placeholders = this.names.map((name) => `$${numbers.get(name)}`);
    const text = rest.reduce((sum, part, at) => sum + placeholders[at] + part, first);
    return { text, names };
  }
}

/**
 * Writes a fragment: sql`due <= now() AND host = ${param('host')}`. Inserts fragments and numbers as text; a text constant is written
 * inside the template.
 */
export function sql<Name extends string = never>(
  strings: TemplateStringsArray,
  ...values: readonly (Param<Name> | Fragment<Name> | number)[]
): Fragment<Name> {
  const texts = [strings[0] ?? ''];
  const names: Name[] = [];
  const append = (text: string): void => {
    texts.push((texts.pop() ?? '') + text);
  };
  for (const [at, value] of values.entries()) {
    if (value instanceof Param) {
      names.push(value.name);
      texts.push('');
    } else if (value instanceof Fragment) {
      const [first = '', ...rest] = value.texts;
      append(first);
      texts.push(...rest);
      names.push(...value.names);
    } else append(String(value));
    append(strings[at + 1] ?? '');
  }
  return new Fragment(texts, names);
}

/** Makes a fragment of a constant of the program, such as a list of columns. Never of input. */
export const text = (constant: string): Fragment => new Fragment([constant], []);

/** Makes a fragment of the name of a table or column. @throws Error for anything else */
export function identifier(name: string): Fragment {
  if (!/^[a-z][a-z0-9_]*$/.test(name)) throw new Error(`not the name of a table or column: ${name}`);
  return text(name);
}

/** Joins fragments with a separator. */
export function join<Name extends string>(parts: readonly Fragment<Name>[], separator: string): Fragment<Name> {
  const [first, ...rest] = parts;
  if (first === undefined) return new Fragment<Name>([''], []);
  return rest.reduce((sum, part) => sql`${sum}${text(separator)}${part}`, first);
}
