import { type Schema, Validator } from '@cfworker/json-schema';
import type { Client, Tool } from '@modelcontextprotocol/client';

type Fields = Readonly<Record<string, unknown>>;

/** Schemas that are tried as the settings of a call. */
interface Settings {
  readonly properties: Fields;
  readonly examples: readonly unknown[];
}

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});

/** Words that occur in most descriptions. */
const STOP = new Set(
  'a an all and any are as at by for from in is it its of on one or that the this to with'.split(' '),
);
const stem = (word: string): string => word.replace(/(?:ing|ed|es|s)$/, '');
const wordsOf = (text: string): string[] =>
  (text.toLowerCase().match(/[a-z]+/g) ?? []).filter((word) => !STOP.has(word)).map(stem);

/** Returns the candidate whose words fit a goal best; a word counts less the more candidates have it. */
export function bestMatch<T>(goal: string, candidates: readonly T[], textOf: (candidate: T) => string): T {
  const texts = candidates.map((candidate) => new Set(wordsOf(textOf(candidate))));
  const weight = (word: string): number => 1 / (texts.filter((text) => text.has(word)).length || 1);
  const scores = texts.map((text) =>
    [...new Set(wordsOf(goal))].filter((word) => text.has(word)).reduce((sum, word) => sum + weight(word), 0),
  );
  const best = candidates[scores.indexOf(Math.max(...scores))];
  if (best === undefined) throw new Error(`nothing fits "${goal}"`);
  return best;
}

/**
 * An MCP client that has only what `tools/list` states. A goal in plain words selects a tool by names and descriptions, the schema of the
 * tool selects the arguments from the values of the task and from ids of earlier results, and examples give the form of settings.
 * Arguments and results are validated against the listed schemas.
 */
export class ToolAgent {
  readonly #client: Client;
  readonly #tools: readonly Tool[];
  /** Ids of earlier results, by the parameter that takes them, such as `project_id`. */
  readonly #ids = new Map<string, unknown>();

  private constructor(client: Client, tools: readonly Tool[]) {
    this.#client = client;
    this.#tools = tools;
  }

  static async connect(client: Client): Promise<ToolAgent> {
    const { tools } = await client.listTools();
    return new ToolAgent(client, tools);
  }

  /** Reaches a goal by one call. @throws Error where the arguments or the result do not fit the listed schemas, or the call fails */
  async do(goal: string, values: Fields = {}): Promise<Fields> {
    const tool = this.#toolFor(goal, values);
    const names = Object.keys(fieldsOf(tool.inputSchema.properties));
    const known = names.filter((name) => this.#ids.has(name)).map((name) => [name, this.#ids.get(name)]);
    return await this.#call(tool, { ...Object.fromEntries(known), ...values });
  }

  /** Makes the call that a result names as its continuation; undefined at the end. */
  async next(result: Fields): Promise<Fields | undefined> {
    if (!isFields(result['next'])) return undefined;
    const { tool: name, arguments: args } = result['next'];
    const tool = this.#tools.find((each) => each.name === name);
    if (tool === undefined) throw new Error(`no tool is listed as ${String(name)}`);
    return await this.#call(tool, fieldsOf(args));
  }

  /** Returns the settings that the tool for a goal takes, with the examples of the list. */
  settings(goal: string, values: Fields = {}): Settings {
    const { config } = fieldsOf(this.#toolFor(goal, { config: {}, ...values }).inputSchema.properties);
    const { properties, examples } = fieldsOf(config);
    return { properties: fieldsOf(properties), examples: Array.isArray(examples) ? examples : [] };
  }

  /** Selects among the tools that take every value and require nothing unknown. */
  #toolFor(goal: string, values: Fields): Tool {
    const able = this.#tools.filter(({ inputSchema }) => {
      const taken = fieldsOf(inputSchema.properties);
      const required = inputSchema.required ?? [];
      return (
        Object.keys(values).every((name) => name in taken) &&
        required.every((name) => name in values || this.#ids.has(name))
      );
    });
    return bestMatch(
      goal,
      able,
      ({ name, title, description }) => `${name.replaceAll('_', ' ')} ${title} ${description}`,
    );
  }

  async #call(tool: Tool, args: Fields): Promise<Fields> {
    assertValid(`the arguments of ${tool.name}`, tool.inputSchema, args);
    const { structuredContent, isError } = await this.#client.callTool({ name: tool.name, arguments: args });
    const result = fieldsOf(structuredContent);
    if (isError === true) throw new Error(`${tool.name} ${JSON.stringify(args)}: ${JSON.stringify(result)}`);
    assertValid(`the result of ${tool.name}`, tool.outputSchema, result);
    this.#learn(result);
    return result;
  }

  /** Keeps the ids of a result under the parameters that take them. */
  #learn({ job, project }: Fields): void {
    const { kind, id } = fieldsOf(job);
    if (id !== undefined) this.#ids.set('id', id).set(`${String(kind)}_id`, id);
    if (isFields(project)) this.#ids.set('project_id', project['id']);
  }
}

function assertValid(what: string, schema: Tool['outputSchema'] | Tool['inputSchema'], value: Fields): void {
  if (schema === undefined) throw new Error(`${what} have no schema`);
  const { valid, errors } = new Validator(schema as Schema, '2020-12').validate(value);
  if (!valid) throw new Error(`${what} do not fit its schema: ${errors.map(({ error }) => error).join('; ')}`);
}
