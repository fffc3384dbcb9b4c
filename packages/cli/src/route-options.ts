import { type Command, InvalidArgumentError, Option } from 'commander';
import { FIELDS, type Field } from './generated/options.ts';
import { jsonOr, list, settingsOf, wholeNumber } from './values.ts';

export type OptionRoute = keyof typeof FIELDS;
export type FieldName<R extends OptionRoute> = (typeof FIELDS)[R][number]['name'];

/** Fields of a route for which a command has words of its own, and these: an argument in brackets, an option, or KEY=VALUE. */
export type OwnWords<R extends OptionRoute> = Readonly<Partial<Record<FieldName<R>, string>>>;

/** Names of options that differ from the fields of the contract. */
const RENAMED: Readonly<Partial<Record<OptionRoute, Readonly<Record<string, string>>>>> = {
  'GET /projects': { v: 'health' },
  'GET /projects/{id}/runs': { v: 'status' },
  'GET /projects/{id}/pages': { v: 'verdict' },
};

interface Coverage {
  readonly route: OptionRoute;
  readonly own: Readonly<Partial<Record<string, string>>>;
}

const coverage = new WeakMap<Command, Coverage[]>();

/** Returns the routes whose fields the words of a command state. */
export const coverageOf = (command: Command): readonly Coverage[] => coverage.get(command) ?? [];

function cover(command: Command, covered: Coverage): void {
  coverage.set(command, [...coverageOf(command), covered]);
}

const fieldsOf = (route: OptionRoute, own: Coverage['own']): readonly Field[] =>
  FIELDS[route].filter(({ name }) => own[name] === undefined);

/** Returns the name of the option of a field: `max_age` and `maxAge` are `max-age` on the command line. */
export const optionNameOf = (route: OptionRoute, field: string): string =>
  RENAMED[route]?.[field] ?? field.replaceAll('_', '-').replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

function json(text: string): unknown {
  const value = jsonOr(text);
  if (typeof value === 'string') throw new InvalidArgumentError('Expected JSON, such as {"url": "https://…"}.');
  return value;
}

/** Options of a field. The one of two that states the default is accepted and not listed. */
function optionsOf(words: string, { summary, kind, choices, minimum = 0 }: Field): Option[] {
  switch (kind) {
    case 'boolean': {
      const isOn = /\bdefault:? true\b/i.test(summary);
      return [new Option(`--${words}`, summary).hideHelp(isOn), new Option(`--no-${words}`, summary).hideHelp(!isOn)];
    }
    case 'number':
      return [new Option(`--${words} <n>`, summary).argParser(wholeNumber(minimum))];
    case 'list':
      return [new Option(`--${words} <list>`, summary).argParser(list)];
    case 'json':
      return [new Option(`--${words} <json>`, summary).argParser(json)];
    case 'text': {
      const option = new Option(`--${words} <${choices === undefined ? 'text' : 'word'}>`, summary);
      return [choices === undefined ? option : option.choices(choices)];
    }
  }
}

/** Adds an option for each field of a route for which the command has no words of its own. Descriptions and values are those of the contract. */
export function addRouteOptions<R extends OptionRoute>(command: Command, route: R, own: OwnWords<R>): Command {
  cover(command, { route, own });
  const options = fieldsOf(route, own).flatMap((field) => optionsOf(optionNameOf(route, field.name), field));
  for (const option of options) command.addOption(option);
  return command;
}

/** Returns the fields of a route that options state, by their names in the contract. */
export function routeFields<R extends OptionRoute>(
  command: Command,
  route: R,
  own: OwnWords<R>,
): Record<string, unknown> {
  const entries = fieldsOf(route, own).map(({ name }): [string, unknown] => [
    name,
    command.getOptionValue(optionNameOf(route, name).replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())),
  ]);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/** Adds the list of settings that the KEY=VALUE arguments of a command accept to its help. */
export function addSettingsHelp<R extends OptionRoute>(command: Command, route: R, own: OwnWords<R>): Command {
  const fields = fieldsOf(route, own);
  cover(command, { route, own: { ...Object.fromEntries(fields.map(({ name }) => [name, 'KEY=VALUE'])), ...own } });
  const width = Math.max(...fields.map(({ name }) => name.length));
  const lines = fields.map(({ name, summary, choices }) => {
    const values = choices === undefined ? '' : `${summary === '' ? '' : ' '}(${choices.join(', ')})`;
    return `  ${name.padEnd(width)}  ${summary}${values}`.trimEnd();
  });
  return command.addHelpText('after', `\nSettings (KEY=VALUE):\n${lines.join('\n')}`);
}

/** Reads KEY=VALUE settings of a route: text as it is, lists from words or JSON, everything else as JSON. Other keys are read as JSON where they are JSON. */
export function settingsOfRoute(route: OptionRoute, pairs: readonly string[]): Record<string, unknown> {
  const fields = new Map<string, Field>(FIELDS[route].map((field) => [field.name, field]));
  const plain = pairs.map((pair) => {
    const [, name = '', value = ''] = /^([\w.-]+)=(.*)$/s.exec(pair) ?? [];
    const kind = value === 'null' ? undefined : fields.get(name)?.kind;
    if (kind === 'text') return `${name}=${JSON.stringify(value)}`;
    return kind === 'list' && !value.startsWith('[') ? `${name}=${JSON.stringify(list(value))}` : pair;
  });
  return settingsOf(plain);
}
