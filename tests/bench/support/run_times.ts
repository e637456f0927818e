import { BINARY } from "../../image/support/binary.ts";

/** Runs the compiled program so often, and returns how many ms each run took, the least first. @throws where a run fails */
export async function runTimes(args: readonly string[], times: number): Promise<number[]> {
  const took: number[] = [];
  for (let time = 0; time < times; time++) {
    const began = performance.now();
    const command = new Deno.Command(BINARY, { args: [...args], stdout: "null", stderr: "piped" });
    const { stderr } = await command.output();
    if (stderr.length > 0) throw new Error(new TextDecoder().decode(stderr));
    took.push(performance.now() - began);
  }
  return took.sort((a, b) => a - b);
}

/** Prints the median and the least of seven runs of the compiled program, over what it reads. */
export async function printRunTimes(what: string, args: readonly string[], over: string): Promise<void> {
  const times = await runTimes(args, 7);
  const [best, median] = [times[0], times[3]].map((ms = NaN) => Math.round(ms));
  console.log(`${what}: ${median} ms (best ${best} ms) for ${over}`);
}
