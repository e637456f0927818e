/** Words that a native engineer would not write here, each with what to write in its place. */
const WORDS: readonly (readonly [word: RegExp, instead: string])[] = [
  [/\b(?:tells?|told|telling)\b/i, "say, show, report, or distinguish"],
  [/\b(?:gives?|gave|given|giving) up\b/i, "stop, abandon, release, or drop"],
  [/\bnobody\b/i, "no one, or the thing that is not done"],
  [/\b(?:some|any|every)body\b/i, "a user, someone, anyone, or everyone"],
  [/\bwho(?:so|m)?ever\b/i, "the user, the caller, or anyone who"],
  [/\bone's\b/i, "your, its, or of the one"],
];

/** What has such a word for good reason, whole: a user of Unix, and what Kubernetes itself says. */
const EXCEPTIONS: readonly RegExp[] = [
  /\bnobody:(?:x:|\/nonexistent)|`abc,nobody,u1,/g,
  /This flag tells the controller to suspend subsequent executions/g,
];

/** A word that stands in a text, and what to write in its place. */
export interface FoundWord {
  readonly word: string;
  readonly instead: string;
  /** Where it begins in the text. */
  readonly at: number;
}

/** Returns the words of the list in a text of English. */
export function wordsIn(text: string): FoundWord[] {
  const plain = EXCEPTIONS.reduce(
    (left, exception) => left.replace(exception, (found) => "-".repeat(found.length)),
    text,
  );
  return WORDS.flatMap(([word, instead]) =>
    [...plain.matchAll(new RegExp(word, `${word.flags}g`))].map((match) => ({
      word: match[0],
      instead,
      at: match.index,
    }))
  );
}
