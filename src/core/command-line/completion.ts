/**
 * Completion scripts for shells, generated from the table of commands; completing does not run the
 * program. The bash script needs only bash 3.2 or later.
 */
import { shellQuoted } from '../shell-word.ts';
import type { Argument, Command, Flag, Program } from './program.ts';

export const SHELLS = ['bash', 'zsh'] as const;

export function completionScript(shell: string, program: Program): string | undefined {
  if (shell === 'bash') return bashScript(program);
  return shell === 'zsh' ? zshScript(program) : undefined;
}

const flagsOf = (command: Command) => Object.entries(command.flags ?? {});
const wordsOf = (command: Command) => [...flagsOf(command).map(([name]) => `--${name}`), '--help'];

/** Rows of `case`: `'export --format') _decoys_offer -W 'stix ips' ;;`. */
function bashScript({ name, commands }: Program): string {
  const offer = `_${name}_offer`;
  const entries = Object.entries(commands);
  const withValue = entries.flatMap(([word, command]) =>
    flagsOf(command)
      .filter(([, flag]) => flag.value !== undefined)
      .map(([flag, definition]) => ({ place: `'${word} --${flag}'`, definition })),
  );
  const values = withValue.map(
    ({ place, definition }) => `    ${place}) ${bashValue(offer, definition)}return ;;`,
  );
  const flags = entries.map(
    ([word, command]) => `      ${word}) ${offer} -W '${wordsOf(command).join(' ')}' ;;`,
  );
  const positions = entries.flatMap(([word, command]) =>
    (command.arguments ?? []).flatMap(({ completes, repeats }, index) =>
      completes
        ? [`    '${word} '${repeats ? '*' : index}) ${bashWords(offer, completes)} ;;`]
        : [],
    ),
  );
  const places = withValue.map(({ place }) => place).join('|') || "''";
  return `# Completes ${name} in bash: source <(${name} completion bash)
${offer}() {
  local word
  while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen "$@" -- "$current")
}
_${name}() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]}
  local command=\${COMP_WORDS[1]} position=0 i
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    ${offer} -W '${[...Object.keys(commands), '--help', '--version'].join(' ')}'
    return
  fi
  # An equals sign is a separate word here.
  if [[ $current == '=' ]]; then
    current=
  elif [[ $previous == '=' ]]; then
    previous=\${COMP_WORDS[COMP_CWORD-2]}
  fi
  case "$command $previous" in
${values.join('\n')}
  esac
  if [[ $current == -* ]]; then
    case $command in
${flags.join('\n')}
    esac
    return
  fi
  for ((i = 2; i < COMP_CWORD; i++)); do
    case "$command \${COMP_WORDS[i]}" in
      ${places})
        [[ \${COMP_WORDS[i+1]} == '=' ]] && ((i++))
        ((i++)) ;;
      *' -'*) ;;
      *) ((position++)) ;;
    esac
  done
  case "$command $position" in
${positions.join('\n')}
  esac
}
complete -F _${name} ${name}
`;
}

/** A value that only the user knows is completed by nothing. */
function bashValue(offer: string, { choices, completes }: Flag): string {
  const from = choices ?? completes;
  return from === undefined ? '' : `${bashWords(offer, from)}; `;
}

function bashWords(offer: string, completes: 'files' | readonly string[]): string {
  if (completes !== 'files') return `${offer} -W '${completes.join(' ')}'`;
  return `${offer} -f; compopt -o filenames 2>/dev/null`;
}

function zshScript({ name, commands }: Program): string {
  const described = Object.entries(commands).map(
    ([word, { summary }]) => `    ${shellQuoted(`${word}:${summary}`)}`,
  );
  const cases = Object.entries(commands).map(([word, command]) => {
    const specs = [
      ...flagsOf(command).map(([flag, definition]) => zshFlag(flag, definition)),
      "'(- *)'{-h,--help}'[show help]'",
      ...(command.arguments ?? []).map((argument, index) => zshArgument(argument, index)),
    ];
    return `    ${word}) _arguments ${specs.join(' \\\n      ')} ;;`;
  });
  return `#compdef ${name}
# Completes ${name} in zsh: source <(${name} completion zsh), after compinit
_${name}() {
  local -a commands=(
${described.join('\n')}
  )
  if ((CURRENT == 2)); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  ((CURRENT--))
  case $command in
${cases.join('\n')}
  esac
}
compdef _${name} ${name}
`;
}

function zshFlag(name: string, { summary, value, choices, completes, repeats }: Flag): string {
  const star = repeats ? '*' : '';
  const equals = value === undefined ? '' : '=';
  const from = value === undefined ? '' : `:${zshText(value)}:${zshAction(choices ?? completes)}`;
  return shellQuoted(`${star}--${name}${equals}[${zshText(summary)}]${from}`);
}

function zshArgument({ name, completes, isOptional, repeats }: Argument, index: number): string {
  const position = repeats ? '*' : index + 1;
  return shellQuoted(
    `${position}:${isOptional ? ':' : ''}${zshText(name)}:${zshAction(completes)}`,
  );
}

function zshAction(completes: 'files' | readonly string[] | undefined): string {
  if (completes === undefined) return ' ';
  return completes === 'files' ? '_files' : `(${completes.join(' ')})`;
}

/** Colons and brackets end a part of a specification. */
function zshText(text: string): string {
  return text.replace(/[[\]:\\]/g, '\\$&');
}
