/** The words of each simple command of a script, in order: as much of a shell's grammar as the documentation uses. */
export function callsIn(script: string): string[][] {
  const calls: string[][] = [];
  let words: string[] = [];
  const end = () => {
    if (words.length > 0) calls.push(words);
    words = [];
  };
  const tokens = script.replaceAll("\\\n", " ").matchAll(
    /(?<comment>(?<=^|\s)#[^\n]*)|(?<end>\n|\|\|?|&&|;)|(?<redirection>\d?[<>]+\s*(?!\()\S+)|(?<word>(?:'[^']*'|"(?:\$\([^)]*\)|[^"])*"|[^\s'"|;&<>]|<\()+)/g,
  );
  for (const { groups } of tokens) {
    if (groups!.end) end();
    else if (groups!.word) {
      words.push(groups!.word.replaceAll(/'([^']*)'|"([^"]*)"/g, (_, single, double) => single ?? double));
    }
  }
  end();
  return calls;
}

/** The arguments of each call of our program. */
export function programCalls(script: string): string[][] {
  return callsIn(script).flatMap((words) => {
    const at = words.findIndex((word) => /^(<\()?cronjob-controller$/.test(word));
    const isCommand = at === 0 || words.slice(0, at).every((word) => /^\w+=|^source$/.test(word));
    return at >= 0 && isCommand ? [words.slice(at + 1).map((word) => word.replace(/\)$/, ""))] : [];
  });
}

/** The words of a command line. */
export function wordsIn(line: string): string[] {
  return callsIn(line).flat();
}
