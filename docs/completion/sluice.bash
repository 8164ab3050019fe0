# Completion of sluice for bash. Made by docs/make.lua.

_sluice() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
    COMPREPLY=()
    if [ "$COMP_CWORD" = 1 ]; then
        COMPREPLY=($(compgen -W "parse batch render grammar prompt export list trace watch new infer check help --help --version" -- "$word"))
        return
    fi
    case $command:$before in
    parse:--syntax) COMPREPLY=($(compgen -W "auto $(sluice list 2>/dev/null | cut -d' ' -f1)" -- "$word")); return ;;
    parse:-s) COMPREPLY=($(compgen -W "auto $(sluice list 2>/dev/null | cut -d' ' -f1)" -- "$word")); return ;;
    parse:--model) return ;;
    parse:-m) return ;;
    parse:--tools) COMPREPLY=($(compgen -f -- "$word")); return ;;
    parse:--chunk) return ;;
    parse:--start) COMPREPLY=($(compgen -W "text reasoning" -- "$word")); return ;;
    parse:--calls) COMPREPLY=($(compgen -W "streamed whole" -- "$word")); return ;;
    parse:--option) return ;;
    parse:--output) COMPREPLY=($(compgen -W "result events pretty openai openai-message anthropic ollama" -- "$word")); return ;;
    parse:-o) COMPREPLY=($(compgen -W "result events pretty openai openai-message anthropic ollama" -- "$word")); return ;;
    parse:--from) COMPREPLY=($(compgen -W "text openai anthropic ollama" -- "$word")); return ;;
    parse:--delay) return ;;
    batch:--max-line) return ;;
    render:--syntax) COMPREPLY=($(compgen -W "auto $(sluice list 2>/dev/null | cut -d' ' -f1)" -- "$word")); return ;;
    render:-s) COMPREPLY=($(compgen -W "auto $(sluice list 2>/dev/null | cut -d' ' -f1)" -- "$word")); return ;;
    render:--model) return ;;
    render:-m) return ;;
    render:--option) return ;;
    grammar:--syntax) COMPREPLY=($(compgen -W "auto $(sluice list 2>/dev/null | cut -d' ' -f1)" -- "$word")); return ;;
    grammar:-s) COMPREPLY=($(compgen -W "auto $(sluice list 2>/dev/null | cut -d' ' -f1)" -- "$word")); return ;;
    grammar:--model) return ;;
    grammar:-m) return ;;
    grammar:--tools) COMPREPLY=($(compgen -f -- "$word")); return ;;
    grammar:--to) COMPREPLY=($(compgen -W "lark gbnf structural-tag" -- "$word")); return ;;
    grammar:--option) return ;;
    prompt:--syntax) COMPREPLY=($(compgen -W "auto $(sluice list 2>/dev/null | cut -d' ' -f1)" -- "$word")); return ;;
    prompt:-s) COMPREPLY=($(compgen -W "auto $(sluice list 2>/dev/null | cut -d' ' -f1)" -- "$word")); return ;;
    prompt:--model) return ;;
    prompt:-m) return ;;
    prompt:--tools) COMPREPLY=($(compgen -f -- "$word")); return ;;
    prompt:--option) return ;;
    export:--syntax) COMPREPLY=($(compgen -W "auto $(sluice list 2>/dev/null | cut -d' ' -f1)" -- "$word")); return ;;
    export:-s) COMPREPLY=($(compgen -W "auto $(sluice list 2>/dev/null | cut -d' ' -f1)" -- "$word")); return ;;
    export:--model) return ;;
    export:-m) return ;;
    export:--to) COMPREPLY=($(compgen -W "response-template" -- "$word")); return ;;
    list:--model) return ;;
    list:-m) return ;;
    trace:--color) COMPREPLY=($(compgen -W "auto always never" -- "$word")); return ;;
    trace:--syntax) COMPREPLY=($(compgen -W "auto $(sluice list 2>/dev/null | cut -d' ' -f1)" -- "$word")); return ;;
    trace:-s) COMPREPLY=($(compgen -W "auto $(sluice list 2>/dev/null | cut -d' ' -f1)" -- "$word")); return ;;
    trace:--model) return ;;
    trace:-m) return ;;
    trace:--tools) COMPREPLY=($(compgen -f -- "$word")); return ;;
    trace:--chunk) return ;;
    trace:--start) COMPREPLY=($(compgen -W "text reasoning" -- "$word")); return ;;
    trace:--calls) COMPREPLY=($(compgen -W "streamed whole" -- "$word")); return ;;
    trace:--option) return ;;
    watch:--tools) COMPREPLY=($(compgen -f -- "$word")); return ;;
    watch:--color) COMPREPLY=($(compgen -W "auto always never" -- "$word")); return ;;
    new:--like) COMPREPLY=($(compgen -W "auto $(sluice list 2>/dev/null | cut -d' ' -f1)" -- "$word")); return ;;
    new:--from) COMPREPLY=($(compgen -f -- "$word")); return ;;
    new:--calls) COMPREPLY=($(compgen -f -- "$word")); return ;;
    new:--seconds) return ;;
    infer:--calls) COMPREPLY=($(compgen -f -- "$word")); return ;;
    infer:--name) return ;;
    infer:--seconds) return ;;
    check:--seconds) return ;;
    esac
    case $command:$word in
    parse:-*) COMPREPLY=($(compgen -W "--syntax -s --model -m --tools --chunk --start --calls --option --output -o --from --delay --help -h" -- "$word")) ;;
    batch:-*) COMPREPLY=($(compgen -W "--max-line --allow-paths --help -h" -- "$word")) ;;
    render:-*) COMPREPLY=($(compgen -W "--syntax -s --model -m --option --help -h" -- "$word")) ;;
    grammar:-*) COMPREPLY=($(compgen -W "--syntax -s --model -m --tools --to --option --help -h" -- "$word")) ;;
    prompt:-*) COMPREPLY=($(compgen -W "--syntax -s --model -m --tools --option --help -h" -- "$word")) ;;
    export:-*) COMPREPLY=($(compgen -W "--syntax -s --model -m --to --help -h" -- "$word")) ;;
    list:-*) COMPREPLY=($(compgen -W "--model -m --json --help -h" -- "$word")) ;;
    trace:-*) COMPREPLY=($(compgen -W "--html --svg --explain --color --syntax -s --model -m --tools --chunk --start --calls --option --help -h" -- "$word")) ;;
    watch:-*) COMPREPLY=($(compgen -W "--tools --color --help -h" -- "$word")) ;;
    new:-*) COMPREPLY=($(compgen -W "--like --from --calls --seconds --help -h" -- "$word")) ;;
    infer:-*) COMPREPLY=($(compgen -W "--calls --name --seconds --help -h" -- "$word")) ;;
    check:-*) COMPREPLY=($(compgen -W "--program --seconds --help -h" -- "$word")) ;;
    help:-*) COMPREPLY=($(compgen -W "--help -h" -- "$word")) ;;
    *) COMPREPLY=($(compgen -f -- "$word")) ;;
    esac
}
complete -o filenames -F _sluice sluice
