/** Shells that can complete words by a program. */
export type Shell = "bash" | "zsh" | "fish" | "powershell";

const BASH = String.raw`# For bash: source <(cronjob-controller completion bash)
_cronjob_controller() {
  local words=() last=-1 word="" is_assigned="" i output line
  # To bash an equals sign is a word of its own.
  for ((i = 1; i <= COMP_CWORD; i++)); do
    word=${"$"}{COMP_WORDS[i]}
    if ((last >= 0)) && [[ $word == "=" || $is_assigned ]]; then
      words[last]=${"$"}{words[last]}$word
    else
      last=$((last + 1))
      words[last]=$word
    fi
    is_assigned=""
    [[ $word == "=" ]] && is_assigned=yes
  done
  output=$(cronjob-controller __complete "${"$"}{words[@]}" 2>/dev/null) || return
  word=${"$"}{words[last]}
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :0) return ;;
      :16) compopt -o dirnames 2>/dev/null; return ;;
      :*) compopt +o default 2>/dev/null; return ;;
    esac
    line=${"$"}{line%%$'\t'*}
    [[ $word == *=* && $COMP_WORDBREAKS == *=* ]] && line=${"$"}{line#*=}
    COMPREPLY+=("$line")
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

const POWERSHELL = String
  .raw`# For PowerShell: cronjob-controller completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName 'cronjob-controller' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @($commandAst.CommandElements |
        Where-Object { $_.Extent.StartOffset -lt $cursorPosition } |
        Select-Object -Skip 1 |
        ForEach-Object { $_.ToString() })
    if ($wordToComplete -eq '') {
        # Before 7.3 an empty argument got lost on its way to a program.
        $words += if ($PSVersionTable.PSVersion -ge [version]'7.3') { '' } else { '""' }
    }
    & 'cronjob-controller' __complete @words 2>$null |
        Where-Object { -not $_.StartsWith(':') } |
        ForEach-Object {
            $word, $description = $_ -split "${"`"}t", 2
            if (-not $description) { $description = $word }
            [System.Management.Automation.CompletionResult]::new($word, $word, 'ParameterValue', $description)
        }
}`;

/** What each shell is to read. */
export const SCRIPTS: Readonly<Record<Shell, string>> = { bash: BASH, zsh: ZSH, fish: FISH, powershell: POWERSHELL };
