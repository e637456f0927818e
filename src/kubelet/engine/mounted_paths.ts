import { normalize } from "node:path/posix";
import { readProc } from "../process/identity.ts";

/** A line of `mountinfo`. */
interface Mount {
  readonly device: string;
  /** What of the device's file system is mounted. */
  readonly root: string;
  readonly mountPoint: string;
}

/**
 * Returns the first of these paths that is not mounted in a container: something else is in its place then. Who may write
 * above a path may have put a symbolic link there after it was looked at, and before it was mounted.
 *
 * @param paths of this machine; one that is to be mounted twice comes twice
 * @param pid of the container's first process
 */
export function notMounted(paths: readonly string[], pid: number): string | undefined {
  const ours = parseMounts(readProc("self/mountinfo"));
  const left = parseMounts(readProc(`${pid}/mountinfo`)).map(identityOf);
  return paths.find((path) => {
    const place = placeOf(path, ours);
    const index = place ? left.indexOf(identityOf(place)) : -1;
    if (index >= 0) left.splice(index, 1);
    return index < 0;
  });
}

function identityOf({ device, root }: Pick<Mount, "device" | "root">): string {
  return `${device} ${root}`;
}

/**
 * Returns where a path is in its file system. The mount that came last hides those before it. In a `chroot` there may be no
 * mount above a path: then it returns undefined.
 */
export function placeOf(path: string, mounts: readonly Mount[]): Pick<Mount, "device" | "root"> | undefined {
  const clean = withoutEnd(normalize(path));
  const over = mounts.filter(({ mountPoint }) => `${clean}/`.startsWith(`${withoutEnd(mountPoint)}/`));
  const length = Math.max(...over.map(({ mountPoint }) => mountPoint.length));
  const nearest = over.findLast((mount) => mount.mountPoint.length === length);
  if (!nearest) return undefined;
  const { device, root, mountPoint } = nearest;
  return { device, root: withoutEnd(normalize(`${root}/${clean.slice(withoutEnd(mountPoint).length)}`)) };
}

/** Reads a `mountinfo` of `/proc`, a mount a line. */
export function parseMounts(text: string): Mount[] {
  return text.split("\n").filter((line) => line !== "").map((line) => {
    const [, , device = "", root = "", mountPoint = ""] = line.split(" ");
    return { device, root: withoutEnd(unescaped(root)), mountPoint: unescaped(mountPoint) };
  });
}

function withoutEnd(path: string): string {
  return path.replace(/\/+$/, "");
}

/** Spaces and the like stand there in octal. */
function unescaped(text: string): string {
  return text.replaceAll(/\\(\d{3})/g, (_, octal) => String.fromCharCode(parseInt(octal, 8)));
}
