import { describe, expect, it } from '@jest/globals';
import { routes } from '@tidemark/api';
import { DATASET_NAMES, EXPORT_FORMATS } from '@tidemark/datasets';
import type { Command } from 'commander';
import { z } from 'zod';
import { DESTINATION_FIELDS } from '../src/commands/destinations.ts';
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

  it('has an option of an export for every parameter of the contract, with its choices', () => {
    const command = createProgram().commands.find((one) => one.name() === 'export');
    const parameters: [string, unknown][] = Object.entries(routes.exportProject.query.shape);
    // Named otherwise for people: the dataset is an argument, q is --query, run_id is --run.
    const names = new Map([
      ['q', 'query'],
      ['run_id', 'run'],
    ]);
    for (const [parameter, schema] of parameters) {
      if (parameter === 'dataset') continue;
      const name = names.get(parameter) ?? parameter;
      const option = command?.options.find(({ long }) => long === `--${name}`);
      expect({ parameter, option: option?.long }).toEqual({ parameter, option: `--${name}` });
      const choices = z.toJSONSchema(schema as z.ZodType, { io: 'input', unrepresentable: 'any' })['enum'];
      if (choices !== undefined) expect({ name, choices: option?.argChoices }).toEqual({ name, choices });
    }
  });

  it('names every field of a destination, and the roles of members', () => {
    const fields = Object.keys(routes.createDestination.body.shape);
    expect(['name', 'connection_id', ...DESTINATION_FIELDS.split(', ')].toSorted()).toEqual(fields.toSorted());
    const help = helps.find((text) => text.includes('members invite'));
    for (const role of ['viewer', 'member', 'admin']) expect(help).toContain(`"${role}"`);
  });

  it('lists every dataset and format of an export', () => {
    const help = helps.find((text) => text.includes('tidemark export [options]'))?.replace(/\s+/g, ' ');
    for (const name of [...DATASET_NAMES, ...EXPORT_FORMATS]) expect(help).toContain(`"${name}"`);
  });
});
