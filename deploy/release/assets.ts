import { outputFor, type Target, TARGETS } from "../binary/compile.ts";

/** What is downloaded for one platform: an archive with the executable and the licence. */
export interface Asset {
  readonly target: Target;
  /** As Go and Kubernetes name it. */
  readonly os: "linux" | "darwin" | "windows";
  readonly arch: "amd64" | "arm64";
  /** The name of its file. */
  readonly archive: string;
  /** The executable's name in it. */
  readonly program: string;
  /** Where `deno task compile:all` leaves the executable. */
  readonly compiled: string;
}

/** Lists what is downloaded of a version, one archive for each platform. */
export function assetsOf(version: string): Asset[] {
  return TARGETS.map((target) => {
    const os = target.includes("windows") ? "windows" : target.includes("apple") ? "darwin" : "linux";
    const arch = target.startsWith("aarch64") ? "arm64" : "amd64";
    return {
      target,
      os,
      arch,
      archive: `cronjob-controller_${version}_${os}_${arch}.tar.gz`,
      program: `cronjob-controller${os === "windows" ? ".exe" : ""}`,
      compiled: outputFor(target),
    };
  });
}
