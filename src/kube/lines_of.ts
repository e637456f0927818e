/** The lines of an answer, as they come, and of each no more than so many characters. */
export async function* linesOf(
  { body }: { readonly body: Response["body"] },
  { maxCharacters = Infinity }: { readonly maxCharacters?: number | undefined } = {},
): AsyncGenerator<string> {
  // No node has the Pod.
  if (!body) return;
  const cut = (line: string) => line.length > maxCharacters ? line.slice(0, maxCharacters) : line;
  let rest = "";
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    // Only the chunk is searched: a line may be as long as all there is.
    const [end = "", ...lines] = chunk.split("\n");
    if (rest.length < maxCharacters) rest += end;
    const next = lines.pop();
    if (next === undefined) continue;
    yield cut(rest);
    for (const line of lines) yield cut(line);
    rest = next;
  }
  if (rest !== "") yield cut(rest);
}
