import { assertEquals, assertMatch } from "@std/assert";
import { runToEnd } from "../../support/run_to_end.ts";

/** A line in place of others that a transcript leaves out. */
const LEFT_OUT = "...";

/** A command of a transcript, and the lines that it prints. */
export interface Step {
  readonly command: string;
  readonly shown: readonly string[];
}

/** The steps of a block that is a transcript: `$ command`, and what it prints. */
export function stepsOf(text: string): Step[] {
  return text.split(/^\$ /m).slice(1).map((step) => {
    const [command = "", ...shown] = step.trimEnd().split("\n");
    return { command, shown };
  });
}

/**
 * Runs a step as it stands, and compares what it prints with what is shown. What is left out must be marked; lengths of
 * time, other numbers, the width of columns, and how many rows in a row are alike may differ.
 */
export async function play(
  { command, shown }: Step,
  options: { env: Record<string, string>; cwd: string },
): Promise<void> {
  const { code, stdout, stderr } = await runToEnd(["bash", "-c", command], options);
  const printed = `${command} exits with ${code} and prints:\n${stdout}${stderr}`;
  assertEquals(code, 0, printed);
  const pattern = alike(shown).map((line) => line === LEFT_OUT ? "(?:.*\n)*" : `${RegExp.escape(line)}\n`).join("");
  const text = alike(stdout.trimEnd().split("\n")).map((line) => `${line}\n`).join("");
  assertMatch(text, new RegExp(`^${pattern}$`), printed);
}

function alike(lines: readonly string[]): string[] {
  const normal = lines.map((line) =>
    line.replaceAll(/\b\d+[smhd](?: ?\d+[smhd])?\b/g, "TIME").replaceAll(/\d+/g, "N").replaceAll(/\s+/g, " ").trim()
  );
  return normal.filter((line, index) => line !== normal[index - 1]);
}
