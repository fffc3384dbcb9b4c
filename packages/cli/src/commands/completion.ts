import { Argument, type Command } from 'commander';

const SHELLS = ['bash', 'zsh', 'fish'] as const;

interface Entry {
  /** Words of the command, such as `project create`. */
  readonly words: string;
  readonly description: string;
  readonly subcommands: readonly string[];
  readonly options: readonly string[];
}

/** Returns every command with its subcommands and long options. */
function entriesOf(command: Command, words = ''): Entry[] {
  const subcommands = command.commands.filter((one) => one.name() !== 'help');
  const own: Entry = {
    words,
    description: command.description(),
    subcommands: subcommands.map((one) => one.name()),
    options: [...new Set(command.options.map(({ long }) => long ?? ''))].filter((long) => long !== ''),
  };
  return [own, ...subcommands.flatMap((one) => entriesOf(one, `${words} ${one.name()}`.trim()))];
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

function bash(entries: readonly Entry[], globals: readonly string[]): string {
  const cases = entries.map(
    ({ words, subcommands, options }) =>
      `    ${quoted(words)}) choices=${quoted([...subcommands, ...options, ...globals].join(' '))} ;;`,
  );
  return `# tidemark completion bash > ~/.local/share/bash-completion/completions/tidemark
_tidemark() {
  local word path='' choices='' current="\${COMP_WORDS[COMP_CWORD]}"
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$path $word" in ${entries
      .filter(({ words }) => words !== '')
      .map(({ words }) => quoted(words.includes(' ') ? words : ` ${words}`))
      .join('|')}) path="\${path:+$path }$word" ;; esac
  done
  case "$path" in
${cases.join('\n')}
  esac
  if [[ $current == -* || -n $choices ]]; then COMPREPLY=($(compgen -W "$choices" -- "$current")); fi
}
complete -o default -F _tidemark tidemark
`;
}

function zsh(entries: readonly Entry[], globals: readonly string[]): string {
  return `#compdef tidemark
# tidemark completion zsh > "\${fpath[1]}/_tidemark"
autoload -U +X bashcompinit && bashcompinit
${bash(entries, globals)}`;
}

function fish(entries: readonly Entry[], globals: readonly string[]): string {
  const root = entries.find(({ words }) => words === '');
  const lines = entries.flatMap(({ words, description, options }) => {
    const parts = words.split(' ');
    const parent = parts.slice(0, -1);
    const name = parts.at(-1) ?? '';
    const isRoot = words === '';
    const condition = parent.length === 0 ? '__fish_use_subcommand' : `__fish_seen_subcommand_from ${parent.join(' ')}`;
    const here = isRoot ? [] : [`complete -c tidemark -f -n ${quoted(condition)} -a ${name} -d ${quoted(description)}`];
    const flags = options.map(
      (long) =>
        `complete -c tidemark${isRoot ? '' : ` -n ${quoted(`__fish_seen_subcommand_from ${name}`)}`} -l ${long.slice(2)}`,
    );
    return [...here, ...flags];
  });
  const rest = globals.filter((long) => root?.options.includes(long) !== true);
  return [
    '# tidemark completion fish > ~/.config/fish/completions/tidemark.fish',
    ...lines,
    ...rest.map((long) => `complete -c tidemark -l ${long.slice(2)}`),
    '',
  ].join('\n');
}

const WRITERS = { bash, zsh, fish } as const;
const isShell = (name: string): name is keyof typeof WRITERS => Object.hasOwn(WRITERS, name);

export function addCompletion(program: Command): void {
  program
    .command('completion')
    .description('print a completion script for a shell')
    .addArgument(new Argument('<shell>', 'shell').choices(SHELLS))
    .action((shell: string) => {
      const entries = entriesOf(program);
      const globals = ['--help'];
      if (isShell(shell)) process.stdout.write(WRITERS[shell](entries, globals));
    });
}
