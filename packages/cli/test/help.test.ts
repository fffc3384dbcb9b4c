import { describe, expect, it } from '@jest/globals';
import { DATASET_NAMES, EXPORT_FORMATS } from '@tidemark/datasets';
import { Command } from 'commander';
import { FIELDS, type Field } from '../src/generated/options.ts';
import { coverageOf, type OptionRoute, optionNameOf } from '../src/route-options.ts';
import { createProgram } from '../src/run.ts';

/** Returns a command and all its subcommands. */
const all = (command: Command): Command[] => [command, ...command.commands.flatMap(all)];

/** Returns what `--help` prints. */
function helpOf(command: Command): string {
  let help = '';
  command.configureOutput({ writeOut: (text) => (help += text) });
  command.outputHelp();
  return help;
}

/** Returns the commands of the examples, without redirections and the parts of other programs. */
const examplesIn = (help: string): string[][] =>
  [...help.matchAll(/^ {2}(?=\S).*\btidemark .*$/gm)].flatMap(([line]) =>
    line
      .split(/\||&&|-- (?=tidemark)/)
      .map((part) => part.trim().replace(/^(\w+=\S+ )+/, ''))
      .filter((part) => part.startsWith('tidemark '))
      .map((part) =>
        part
          .replace(/ > \S+/, '')
          .split(' ')
          .slice(1),
      ),
  );

/** Returns the words by which fields are stated: arguments in brackets, options, and KEY=VALUE where the command accepts settings. */
function wordsOf(command: Command): Set<string> {
  const named = command.registeredArguments.map((argument) => `[${argument.name()}]`);
  const settings = command.registeredArguments.filter(({ description }) => description.startsWith('KEY=VALUE'));
  const options = command.options.map(({ long }) => long ?? '');
  return new Set([...named, ...options, ...settings.map(() => 'KEY=VALUE')]);
}

/** Parses the words of a command without running it. @throws CommanderError */
async function parse(words: readonly string[]): Promise<void> {
  const program = createProgram();
  for (const command of all(program)) {
    command.configureOutput({ writeErr: () => undefined });
    if (command.commands.length === 0) command.action(() => undefined);
  }
  const [first = '', ...rest] = words.map((word) => word.replace(/^--json=/, '--fields='));
  await program.parseAsync([first, ...rest], { from: 'user' });
}

describe('the help of the command line', () => {
  const helps = all(createProgram()).map(helpOf);

  it('has examples that are valid commands', async () => {
    const examples = helps.flatMap(examplesIn);
    expect(examples.length).toBeGreaterThan(20);
    for (const words of examples) await parse(words);
    await expect(parse(['map', 'https://example.com/', '--json', 'url'])).rejects.toThrow('too many arguments');
  });

  it('lists the global options of every command', () => {
    for (const help of helps) expect(help).toMatch(/--base-url <url>[\s\S]*--workspace <id>/);
  });

  it.each(Object.keys(FIELDS) as OptionRoute[])(
    'has an argument, an option or a setting for every field of %s, with the values of the contract',
    (route) => {
      const commands = all(createProgram()).filter((command) => coverageOf(command).some((one) => one.route === route));
      expect(commands).toHaveLength(1);
      const [command = new Command()] = commands;
      const own: Readonly<Partial<Record<string, string>>> =
        coverageOf(command).find((one) => one.route === route)?.own ?? {};
      const words = wordsOf(command);
      for (const field of FIELDS[route] as readonly Field[]) {
        const word = own[field.name] ?? `--${optionNameOf(route, field.name)}`;
        expect({ field: field.name, word: words.has(word) ? word : undefined }).toEqual({ field: field.name, word });
        if (own[field.name] !== undefined || field.choices === undefined) continue;
        const option = command.options.find(({ long }) => long === word);
        expect(option?.argChoices).toEqual(field.choices);
      }
    },
  );

  it('describes every field that it generates an option for', () => {
    const options = all(createProgram()).flatMap((command) => command.options);
    expect(options.filter(({ description }) => description === '').map(({ flags }) => flags)).toEqual([]);
  });

  it('lists the fields of the request with the settings of `project create`, `project set` and `destinations create`', () => {
    for (const [name, fields] of [
      ['project create', ['name', 'reference', 'schedule']],
      ['project set', ['seed', 'reference', 'retention']],
      ['destinations create', ['scope', 'table', 'shape']],
    ] as const) {
      const help = helps.find((text) => text.includes(`tidemark ${name} [options]`)) ?? '';
      for (const field of fields) expect(help).toMatch(new RegExp(`^  ${field} `, 'm'));
    }
  });

  it('lists every dataset and format of an export', () => {
    const help = helps.find((text) => text.includes('tidemark export [options]'))?.replace(/\s+/g, ' ');
    for (const name of [...DATASET_NAMES, ...EXPORT_FORMATS]) expect(help).toContain(`"${name}"`);
  });
});
