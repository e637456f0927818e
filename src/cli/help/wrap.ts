/** Breaks a paragraph into lines of at most `width` characters; a longer word has a line of its own. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/\s+/).filter((word) => word !== "")) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return line === "" ? lines : [...lines, line];
}

/** Returns the same of paragraphs, which an empty line parts. */
export function wrapParagraphs(text: string, width: number): string {
  return text.trim().split(/\n{2,}/).map((paragraph) => wrap(paragraph, width).join("\n")).join("\n\n");
}
