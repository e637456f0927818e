// Makes an executable of the bundle: `dist/cronjob-controller`, or one for each target.
//
//   deno run -A deploy/binary/compile.ts [--all | TARGET…]
//
// What runs the program, denort, comes from Deno's own host, of the version of Deno that runs this. For the machine's own
// platform, DENORT_BIN may name it instead.
import { outputOf, ROOT } from "./support.ts";

/** Deno's names for the platforms that are released. */
export const TARGETS = [
  "x86_64-unknown-linux-gnu",
  "aarch64-unknown-linux-gnu",
  "x86_64-apple-darwin",
  "aarch64-apple-darwin",
  "x86_64-pc-windows-msvc",
] as const;
export type Target = (typeof TARGETS)[number];

/** A Pod's service account: `controller` keeps this folder readable and gives all others up. */
export const SERVICE_ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount";

/**
 * What the program may do at most; `controller` drops most of it once it has started. What is granted as a list can be
 * dropped in part, and `/` holds everything.
 */
export function permissions(target: Target): string[] {
  const read = target.includes("windows") ? "--allow-read" : `--allow-read=/,${SERVICE_ACCOUNT}`;
  return [
    read,
    "--allow-write",
    "--allow-net",
    "--allow-env",
    "--allow-run",
    "--allow-sys=hostname,osRelease,uid,gid,networkInterfaces",
    "--deny-import",
  ];
}

/**
 * Threads that compile beside the program keep what they have allocated for it: 10 MB for a page, 25 MB for a burst.
 * The last of V8's compilers takes 4 MB of its own code and as much of what it makes, and saves no time here. Code that
 * two collections have not seen run is forgotten, and read again when it runs: most of it runs at the start alone.
 * `src/runtime/release_memory.ts` needs the last one.
 */
export const ALWAYS = [
  "--no-concurrent-recompilation",
  "--no-turbofan",
  "--bytecode-old-age=2",
  "--flush-baseline-code",
  "--expose-gc",
];

/**
 * V8's defaults let short-lived objects fill 48 MB before it looks for those that are gone, and all objects 256 MB. Most
 * of what a burst leaves behind is garbage: with these the program holds a third less at its peak, at the same speed.
 * With less than 8 MB for short-lived objects, those of requests under way count as long-lived, and a burst of 10,000 takes
 * a fifth more CPU, as all memory is searched more often.
 */
export const V8_FLAGS = [
  "--max-semi-space-size=8",
  "--initial-old-space-size=24",
  "--heap-growing-percent=20",
  ...ALWAYS,
].join(",");

/** The command line of `deno` that compiles the bundle, which is in `dist/bundle` of the working directory. */
export function compileArguments({ target, output, bundle }: { target: Target; output: string; bundle: string }) {
  return [
    "compile",
    "--target",
    target,
    // The folder that it is compiled in has no say in what comes out.
    "--no-config",
    "--quiet",
    "--no-check",
    // Datagrams to the socket of systemd.
    "--unstable-net",
    // No user is asked for a permission that was dropped.
    "--no-prompt",
    // The cache would be kept under a name that everyone knows in a folder where everyone may write.
    "--no-code-cache",
    `--v8-flags=${V8_FLAGS}`,
    ...permissions(target),
    "--include",
    bundle,
    "--output",
    output,
    `${bundle}/main.js`,
  ];
}

/** Where the executable for a target goes, when there are several. */
export function outputFor(target: Target): string {
  return `dist/cronjob-controller-${target}${target.includes("windows") ? ".exe" : ""}`;
}

/** Compiles for one target. @throws {Error} that says why not, in one line */
export async function compile(target: Target, output: string): Promise<void> {
  const bundle = "dist/bundle";
  try {
    // The executable holds these times, and is to be the same each time.
    for await (const { name } of Deno.readDir(bundle)) Deno.utimeSync(`${bundle}/${name}`, 0, 0);
  } catch (cause) {
    throw new Error(`Cannot compile for ${target}: there is no bundle; run deno task bundle first`, { cause });
  }
  const env = Deno.env.toObject();
  // Deno would embed this one whatever the target.
  if (target !== Deno.build.target) delete env.DENORT_BIN;
  try {
    await outputOf(Deno.execPath(), compileArguments({ target, output, bundle }), env);
  } catch (cause) {
    throw new Error(`Cannot compile for ${target}: ${(cause as Error).message}`, { cause });
  }
}

/**
 * Compiles for the targets that the command line names, in the working directory, one after the other: what fails is said in a
 * line, and keeps none of the others from being made. Gives the exit code.
 */
export async function compileAll(args: readonly string[]): Promise<number> {
  const targets = args.includes("--all") ? TARGETS : args as Target[];
  const unknown = targets.find((target) => !TARGETS.includes(target));
  if (unknown !== undefined) {
    console.error(`${unknown} is none of --all, ${TARGETS.join(", ")}`);
    return 2;
  }
  const wanted = targets.length === 0
    ? [{ target: Deno.build.target as Target, output: "dist/cronjob-controller" }]
    : targets.map((target) => ({ target, output: outputFor(target) }));
  let code = 0;
  for (const { target, output } of wanted) {
    try {
      await compile(target, output);
      console.log(output);
    } catch (error) {
      console.error((error as Error).message);
      code = 1;
    }
  }
  return code;
}

if (import.meta.main) {
  Deno.chdir(ROOT);
  Deno.exit(await compileAll(Deno.args));
}
