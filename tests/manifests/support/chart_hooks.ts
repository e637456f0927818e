import type { KubeManifest } from "../../../src/manifests/objects.ts";

/** Returns whether Helm applies an object at a moment of its own, rather than with the release. */
export function isHook({ metadata }: KubeManifest): boolean {
  return "helm.sh/hook" in ((metadata as { annotations?: object }).annotations ?? {});
}
