/** A line of a Dockerfile, continued lines joined. */
export interface Instruction {
  /** In capitals. */
  readonly name: string;
  readonly flags: readonly string[];
  /** What follows the flags, as it stands. */
  readonly rest: string;
}

/** The instructions from one FROM to the next. Before the first FROM: the stage without a base. */
export interface Stage {
  readonly base?: string | undefined;
  readonly name?: string | undefined;
  readonly instructions: readonly Instruction[];
}

export function stagesIn(dockerfile: string): Stage[] {
  const stages: { base?: string | undefined; name?: string | undefined; instructions: Instruction[] }[] = [{
    instructions: [],
  }];
  for (const instruction of instructionsIn(dockerfile)) {
    if (instruction.name === "FROM") {
      const [base, , name] = instruction.rest.split(/\s+/);
      stages.push({ base, name, instructions: [] });
    }
    stages.at(-1)!.instructions.push(instruction);
  }
  return stages;
}

function instructionsIn(dockerfile: string): Instruction[] {
  const lines = dockerfile.split("\n").filter((line) => !/^\s*#/.test(line)).join("\n").replaceAll(/\\\n/g, " ");
  return lines.split("\n").filter((line) => line.trim() !== "").map((line) => {
    const [, name = "", flags = "", rest = ""] = /^(\w+)\s+((?:--\S+\s+)*)(.*)$/.exec(line.trim())!;
    return { name: name.toUpperCase(), flags: flags.split(/\s+/).filter((flag) => flag !== ""), rest };
  });
}

/** `NAME=value` pairs, values quoted or bare. */
export function pairsIn(text: string): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(/([\w.-]+)=(?:"([^"]*)"|(\S*))/g)].map(([, name, quoted, bare]) => [name, quoted ?? bare]),
  );
}

/**
 * Whether a `.dockerignore` keeps a path (without a leading slash) out of the context: the last pattern that matches it or
 * a folder above it decides. Knows the patterns that ours has, `*` and plain paths.
 */
export function isIgnored(dockerignore: string, path: string): boolean {
  let ignored = false;
  for (const line of dockerignore.split("\n").map((line) => line.trim())) {
    if (line === "" || line.startsWith("#")) continue;
    const pattern = line.replace(/^!/, "");
    if (pattern !== "*" && /[*?[\\]/.test(pattern)) throw new Error(`Cannot tell what ${line} matches`);
    if (pattern === "*" || path === pattern || path.startsWith(`${pattern}/`)) ignored = !line.startsWith("!");
  }
  return ignored;
}
