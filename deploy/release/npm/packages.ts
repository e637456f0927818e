import { file, type RootEntry, text, withParents } from "../../image/root_entries.ts";
import type { Asset } from "../assets.ts";

const LAUNCHER = new URL("cronjob-controller.js", import.meta.url).pathname;

/** A package of npm's, before it is packed. */
export interface NpmPackage {
  /** The name of its file. */
  readonly archive: string;
  readonly entries: readonly RootEntry[];
}

/** What a release is called, and where it comes from. */
interface Origin {
  readonly version: string;
  readonly repository: string;
}

/**
 * Returns the packages in which npm gets a version: one for each platform with its executable, and last the one that
 * people install, which npm completes with that of their platform.
 */
export function npmPackages(assets: readonly Asset[], origin: Origin): NpmPackage[] {
  const common = {
    version: origin.version,
    license: "Apache-2.0",
    homepage: `${origin.repository}#readme`,
    repository: { type: "git", url: `git+${origin.repository}.git` },
  };
  const platforms = assets.map((asset) => {
    const { os, cpu, name } = npmPlatform(asset);
    return {
      archive: `cronjob-controller_${origin.version}_npm_${name}.tgz`,
      entries: packageOf({
        name: scoped(name),
        description: `The executable of cronjob-controller for ${name}`,
        ...common,
        os: [os],
        cpu: [cpu],
        ...os === "linux" && { libc: ["glibc"] },
      }, file(`/package/${asset.program}`, asset.compiled, 0o755)),
    };
  });
  const whole = {
    archive: `cronjob-controller_${origin.version}_npm.tgz`,
    entries: packageOf({
      name: "cronjob-controller",
      description: "Runs Kubernetes CronJobs, and says why they ran or did not",
      ...common,
      type: "module",
      bin: { "cronjob-controller": "cronjob-controller.js" },
      engines: { node: ">=18" },
      optionalDependencies: Object.fromEntries(
        assets.map((asset) => [scoped(npmPlatform(asset).name), origin.version]),
      ),
    }, file("/package/cronjob-controller.js", LAUNCHER, 0o755)),
  };
  return [...platforms, whole];
}

function packageOf(description: object, program: RootEntry): RootEntry[] {
  const contents = [
    file("/package/LICENSE", "LICENSE"),
    text("/package/package.json", `${JSON.stringify(description, null, 2)}\n`),
    program,
  ];
  return withParents(contents);
}

/** A platform as Node names it. */
function npmPlatform({ os, arch }: Asset): { os: string; cpu: string; name: string } {
  const platform = os === "windows" ? "win32" : os;
  const cpu = arch === "amd64" ? "x64" : arch;
  return { os: platform, cpu, name: `${platform}-${cpu}` };
}

function scoped(name: string): string {
  return `@cronjob-controller/${name}`;
}
