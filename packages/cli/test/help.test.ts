import { describe, expect, it } from '@jest/globals';
import { DATASET_NAMES, EXPORT_FORMATS } from '@tidemark/datasets';
import type { Command } from 'commander';
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

  it('lists every dataset and format of an export', () => {
    const help = helps.find((text) => text.includes('tidemark export [options]'))?.replace(/\s+/g, ' ');
    for (const name of [...DATASET_NAMES, ...EXPORT_FORMATS]) expect(help).toContain(`"${name}"`);
  });
});
