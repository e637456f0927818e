/** Said at the top of each page, so that the copy is not edited. */
export const WRITTEN = "<!-- Written by `deno task manifests` from the code. Change it there. -->";

/** A page: its title, what it is about, and its parts with an empty line between them. */
export function page(title: string, about: string, ...parts: readonly string[]): string {
  return `${[WRITTEN, `# ${title}`, about, ...parts].join("\n\n")}\n`;
}

export function bullets(lines: readonly string[]): string {
  return lines.map((line) => `- ${line}`).join("\n");
}

export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(" | ")} |`;
  return [line(header), line(header.map(() => "---")), ...rows.map(line)].join("\n");
}

export function code(text: string): string {
  return `\`${text}\``;
}

/** `starting deadline` -> `Starting deadline.` */
export function sentence(text: string): string {
  const capital = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(capital) ? capital : `${capital}.`;
}

/** Angle brackets in prose would be read as HTML. */
export function prose(text: string): string {
  return text.replaceAll("<", "&lt;");
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}
