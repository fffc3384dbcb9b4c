import { Tidemark } from '@tidemark/sdk';
import type { Command } from 'commander';
import { contextOf } from '../context.ts';
import { CliError } from '../exit.ts';

const textOf = (value: unknown): string => (value === undefined ? 'none' : JSON.stringify(value));

export function addSettings(program: Command): void {
  program
    .command('settings')
    .description('list the configuration keys of projects, crawls and scrapes, with their defaults; needs no key')
    .argument('[words...]', 'only keys whose name, group or meaning contains these words')
    .addHelpText(
      'before',
      'Examples:\n  tidemark settings\n  tidemark settings screenshot\n  tidemark settings --json\n',
    )
    .action(async (words: string[], _: object, command: Command) => {
      const { access, out, signal } = contextOf(command);
      const { config } = await new Tidemark(access).call('GET /meta', { signal });
      const lower = words.map((word) => word.toLowerCase());
      const found = Object.entries(config)
        .map(([key, { group, default: value, says: summary, schema }]) => ({
          key,
          group,
          default: value,
          summary,
          schema,
        }))
        .filter(({ key, group, summary }) => {
          const text = `${key} ${group} ${summary}`.toLowerCase();
          return lower.every((word) => text.includes(word));
        });
      if (found.length === 0) throw new CliError(`no configuration key contains ${words.join(' ')}`);
      await out.rows(found, ({ key, group, default: value, summary }) => ({
        key,
        group,
        default: textOf(value),
        summary,
      }));
    });
}
