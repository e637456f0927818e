/** Shells that can complete words by a program. */
export type Shell = "bash" | "zsh" | "fish";

const BASH = String.raw`# For bash: source <(cronjob-controller completion bash)
_cronjob_controller() {
  local output line
  output=$(cronjob-controller __complete "${"$"}{COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null) || return
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :0) return ;;
      :16) compopt -o dirnames 2>/dev/null; return ;;
      :*) compopt +o default 2>/dev/null; return ;;
    esac
    COMPREPLY+=("${"$"}{line%%$'\t'*}")
  done <<<"$output"
}
complete -o default -F _cronjob_controller cronjob-controller`;

const ZSH = String.raw`#compdef cronjob-controller
# For zsh: source <(cronjob-controller completion zsh), or as _cronjob-controller in a folder of $fpath
_cronjob_controller() {
  local -a lines candidates
  local line directive
  lines=("${"$"}{(@f)$(cronjob-controller __complete "${"$"}{(@)words[2,CURRENT]}" 2>/dev/null)}")
  directive=${"$"}{lines[-1]}
  lines[-1]=()
  case $directive in
    :0) _files; return ;;
    :16) _files -/; return ;;
  esac
  for line in "${"$"}{(@)lines}"; do
    if [[ $line == *$'\t'* ]]; then
      candidates+=("${"$"}{${"$"}{line%%$'\t'*}//:/\\:}:${"$"}{line#*$'\t'}")
    else
      candidates+=("${"$"}{line//:/\\:}")
    fi
  done
  _describe cronjob-controller candidates
}
if [[ ${"$"}{funcstack[1]} == _cronjob-controller ]]; then
  _cronjob_controller
else
  compdef _cronjob_controller cronjob-controller
fi`;

const FISH = String.raw`# For fish: cronjob-controller completion fish | source
function __cronjob_controller_complete
    set -l before (commandline -opc)
    set -l current (commandline -ct)
    set -l lines (cronjob-controller __complete $before[2..-1] "$current" 2>/dev/null)
    switch "$lines[-1]"
        case :0
            __fish_complete_path "$current"
        case :16
            __fish_complete_directories "$current"
        case ':*'
            set -e lines[-1]
            string join \n -- $lines
    end
end
complete -c cronjob-controller -f -k -a '(__cronjob_controller_complete)'`;

/** The script for each shell. */
export const SCRIPTS: Readonly<Record<Shell, string>> = { bash: BASH, zsh: ZSH, fish: FISH };
