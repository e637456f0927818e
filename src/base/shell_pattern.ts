type CharTest = (char: string) => boolean;

/**
 * Returns whether a whole text matches a pattern of a shell's `case`: `*` stands for any characters, `?` for a single one,
 * `[0-9]` for one of these, and `[!0-9]` or `[^0-9]` for one of all others. Outside of brackets `\` takes the meaning away
 * from the character behind it. There are no classes such as `[[:digit:]]`.
 *
 * Takes no more steps than the product of both lengths: no pattern is slow.
 */
export function matchesShellPattern(text: string, pattern: string): boolean {
  const chars = [...text];
  const pieces = piecesOf([...pattern]);
  const [first, last] = [pieces[0]!, pieces.at(-1)!];
  if (pieces.length === 1) return chars.length === first.length && fits(chars, first, 0);
  const end = chars.length - last.length;
  if (end < first.length || !fits(chars, first, 0) || !fits(chars, last, end)) return false;
  let from = first.length;
  // The first place for each piece leaves the most room to later pieces.
  for (const piece of pieces.slice(1, -1)) {
    while (from + piece.length <= end && !fits(chars, piece, from)) from++;
    from += piece.length;
  }
  return from <= end;
}

function fits(chars: readonly string[], piece: readonly CharTest[], from: number): boolean {
  return piece.every((test, i) => from + i < chars.length && test(chars[from + i]!));
}

/** Returns the parts of a pattern between its stars, a test for each character. */
function piecesOf(pattern: readonly string[]): CharTest[][] {
  const pieces: CharTest[][] = [[]];
  for (let i = 0; i < pattern.length; i++) {
    const char = pattern[i]!;
    if (char === "*") {
      pieces.push([]);
      continue;
    }
    // A `]` right behind `[` or `[!` is a member of the set.
    const close = char === "[" ? pattern.indexOf("]", i + (isNegation(pattern[i + 1]) ? 3 : 2)) : -1;
    const isEscape = char === "\\" && i + 1 < pattern.length;
    const test = close >= 0
      ? oneOf(pattern.slice(i + 1, close))
      : char === "?"
      ? () => true
      : literal(pattern[isEscape ? i + 1 : i]!);
    pieces.at(-1)!.push(test);
    i = close >= 0 ? close : isEscape ? i + 1 : i;
  }
  return pieces;
}

function literal(wanted: string): CharTest {
  return (char) => char === wanted;
}

function oneOf(set: readonly string[]): CharTest {
  const isNegated = isNegation(set[0]);
  const members = isNegated ? set.slice(1) : set;
  const ranges: [from: string, to: string][] = [];
  for (let i = 0; i < members.length; i++) {
    const isRange = members[i + 1] === "-" && i + 2 < members.length;
    ranges.push([members[i]!, members[isRange ? i + 2 : i]!]);
    if (isRange) i += 2;
  }
  const isMember = (char: string) => ranges.some(([from, to]) => char >= from && char <= to);
  return (char) => isMember(char) !== isNegated;
}

function isNegation(char: string | undefined): boolean {
  return char === "!" || char === "^";
}
