import { expect } from '@jest/globals';
import type { Client } from '@modelcontextprotocol/client';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

type Fields = Readonly<Record<string, unknown>>;
type ListedTool = Awaited<ReturnType<Client['listTools']>>['tools'][number];

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[a-z]+/g) ?? [];

/**
 * A client without knowledge of the tools: it selects a tool by the words of a task, fills its parameters by their names, and takes settings from
 * the examples and schemas of the list. Each call and each result is compared with the listed schemas.
 */
export class ScriptedAgent {
  readonly #client: Client;
  readonly #tools: readonly ListedTool[];
  readonly #ajv = new Ajv2020({ strict: false });

  private constructor(client: Client, tools: readonly ListedTool[]) {
    this.#client = client;
    this.#tools = tools;
  }

  static async read(client: Client): Promise<ScriptedAgent> {
    return new ScriptedAgent(client, (await client.listTools()).tools);
  }

  /** Characters of the list of tools. */
  get listSize(): number {
    return JSON.stringify(this.#tools).length;
  }

  /** Does a task: calls the tool whose name, title and description have most of its words, with the facts that are parameters of the tool. */
  async do(task: string, facts: Fields): Promise<Fields> {
    const tool = this.#choose(task);
    const { properties = {}, required = [] } = tool.inputSchema;
    const args = Object.fromEntries(Object.entries(facts).filter(([name]) => name in properties));
    expect({ task, tool: tool.name, missing: required.filter((name) => !(name in args)) }).toEqual({
      task,
      tool: tool.name,
      missing: [],
    });
    return await this.#call(tool, args);
  }

  /** Makes the call that a result names as its continuation. */
  async continue({ next }: Fields): Promise<Fields> {
    const { tool: name, arguments: args } = isFields(next) ? next : {};
    const tool = this.#tools.find((one) => one.name === name);
    if (tool === undefined || !isFields(args)) throw new Error(`no call continues: ${JSON.stringify(next)}`);
    return await this.#call(tool, args);
  }

  /** Returns settings for a task: the example of its parameter config, with values in place of its own. Keys outside the schema are refused. */
  settings(task: string, values: Fields): Fields {
    const { properties = {} } = this.#choose(task).inputSchema;
    const config = properties['config'];
    const known = isFields(config) && isFields(config['properties']) ? config['properties'] : {};
    expect(Object.keys(values).filter((key) => !(key in known))).toEqual([]);
    const [example] = isFields(config) && Array.isArray(config['examples']) ? config['examples'] : [];
    expect({ task, example: isFields(example) }).toEqual({ task, example: true });
    return values;
  }

  #choose(task: string): ListedTool {
    const words = wordsOf(task);
    const scoreOf = ({ name, title = '', description = '' }: ListedTool): number => {
      const [named, described] = [wordsOf(`${name.replaceAll('_', ' ')} ${title}`), wordsOf(description)];
      return words.reduce((sum, word) => sum + (named.includes(word) ? 3 : 0) + (described.includes(word) ? 1 : 0), 0);
    };
    const [best] = [...this.#tools].sort((a, b) => scoreOf(b) - scoreOf(a));
    if (best === undefined) throw new Error('the list of tools is empty');
    return best;
  }

  async #call({ name, inputSchema, outputSchema }: ListedTool, args: Fields): Promise<Fields> {
    this.#expectValid(`arguments of ${name}`, this.#ajv.compile({ ...inputSchema }), args);
    const { structuredContent, isError } = await this.#client.callTool({ name, arguments: args });
    const result: Fields = isFields(structuredContent) ? structuredContent : {};
    expect({ name, args, refusal: isError === true ? result : undefined }).toEqual({ name, args, refusal: undefined });
    if (outputSchema === undefined) throw new Error(`${name} lists no schema of its result`);
    this.#expectValid(`result of ${name}`, this.#ajv.compile(Object.fromEntries(Object.entries(outputSchema))), result);
    const { characters, ...content } = result;
    expect({ name, characters }).toEqual({ name, characters: JSON.stringify(content).length });
    return result;
  }

  #expectValid(what: string, validate: ValidateFunction, value: unknown): void {
    expect({ what, isValid: validate(value), errors: validate.errors }).toEqual({ what, isValid: true, errors: null });
  }
}
