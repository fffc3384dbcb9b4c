import { Argument, type Command } from 'commander';

const SHELLS = ['bash', 'zsh', 'fish'] as const;

interface Entry {
  /** Words of the command, such as `project create`; empty for the program. */
  readonly words: string;
  readonly description: string;
  readonly subcommands: readonly string[];
  /** Values of its arguments, where they are from a list. */
  readonly values: readonly string[];
  readonly options: readonly Option[];
}

interface Option {
  /** Long name, such as `--from`. */
  readonly name: string;
  readonly description: string;
  readonly values: readonly string[];
}

/** Returns every command with its subcommands, options and their values. */
function entriesOf(command: Command, words = ''): Entry[] {
  const subcommands = command.commands.filter((one) => one.name() !== 'help');
  const options = command.options.map(({ long, description, argChoices = [] }) => ({
    name: long ?? '',
    description,
    values: argChoices,
  }));
  const help = { name: '--help', description: 'display help for command', values: [] };
  const own: Entry = {
    words,
    description: command.description(),
    subcommands: subcommands.map((one) => one.name()),
    values: command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices),
    options: [...options.filter(({ name }) => name !== ''), help],
  };
  return [own, ...subcommands.flatMap((one) => entriesOf(one, `${words} ${one.name()}`.trim()))];
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Returns the `case` that collects the words of the command in `seen`, for bash and zsh. */
const collectWords = (entries: readonly Entry[]): string => {
  const known = entries.filter(({ words }) => words !== '').map(({ words }) => quoted(words.replace(/^(?!.* )/, ' ')));
  return `case "$seen $word" in ${known.join('|')}) seen="\${seen:+$seen }$word" ;; esac`;
};

/** Returns the `case` that selects the choices after the words of a command and, before them, of an option. */
function selectChoices(entries: readonly Entry[]): string {
  const commands = entries.map(({ words, subcommands, values, options }) => {
    const names = options.map(({ name }) => name);
    return `    ${quoted(words)}) choices=${quoted([...subcommands, ...values, ...names].join(' '))} ;;`;
  });
  const values = entries.flatMap(({ words, options }) =>
    options
      .filter((option) => option.values.length > 0)
      .map((option) => `    ${quoted(`${words} ${option.name}`)}) choices=${quoted(option.values.join(' '))} ;;`),
  );
  return `  case "$seen" in\n${commands.join('\n')}\n  esac\n  case "$seen $previous" in\n${values.join('\n')}\n  esac`;
}

const bash = (
  entries: readonly Entry[],
): string => `# tidemark completion bash > ~/.local/share/bash-completion/completions/tidemark
_tidemark() {
  local word seen='' choices='' current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    ${collectWords(entries)}
  done
${selectChoices(entries)}
  COMPREPLY=($(compgen -W "$choices" -- "$current"))
}
complete -o default -F _tidemark tidemark
`;

/** The file is a function for `fpath`, and can be sourced after `compinit`. */
const zsh = (entries: readonly Entry[]): string => `#compdef tidemark
# tidemark completion zsh > "\${fpath[1]}/_tidemark"
compdef _tidemark tidemark
_tidemark() {
  local word seen='' choices='' previous="\${words[CURRENT-1]}"
  for word in "\${(@)words[2,CURRENT-1]}"; do
    ${collectWords(entries)}
  done
${selectChoices(entries)}
  compadd -- \${=choices} || _files
}
if [[ "\${funcstack[1]}" == _tidemark ]]; then _tidemark "$@"; fi
`;

function fish(entries: readonly Entry[]): string {
  const lines = entries.flatMap(({ words, description, values, options }) => {
    const parts = words.split(' ');
    const parent = parts.slice(0, -1);
    const name = parts.at(-1) ?? '';
    const isRoot = words === '';
    const condition = parent.length === 0 ? '__fish_use_subcommand' : `__fish_seen_subcommand_from ${parent.join(' ')}`;
    const within = isRoot ? '' : ` -n ${quoted(`__fish_seen_subcommand_from ${name}`)}`;
    const here = isRoot ? [] : [`complete -c tidemark -f -n ${quoted(condition)} -a ${name} -d ${quoted(description)}`];
    const arguments_ = values.length === 0 ? [] : [`complete -c tidemark -f${within} -a ${quoted(values.join(' '))}`];
    const flags = options.map((option) => {
      const choices = option.values.length === 0 ? '' : ` -x -a ${quoted(option.values.join(' '))}`;
      return `complete -c tidemark${within} -l ${option.name.slice(2)}${choices} -d ${quoted(option.description)}`;
    });
    return [...here, ...arguments_, ...flags];
  });
  return ['# tidemark completion fish > ~/.config/fish/completions/tidemark.fish', ...lines, ''].join('\n');
}

const WRITERS = { bash, zsh, fish } as const;
const isShell = (name: string): name is keyof typeof WRITERS => Object.hasOwn(WRITERS, name);

export function addCompletion(program: Command): void {
  program
    .command('completion')
    .description('print a completion script for a shell')
    .addArgument(new Argument('<shell>', 'shell').choices(SHELLS))
    .action((shell: string) => {
      if (isShell(shell)) process.stdout.write(WRITERS[shell](entriesOf(program)));
    });
}
