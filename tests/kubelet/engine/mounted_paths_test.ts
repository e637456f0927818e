import { assertEquals } from "@std/assert";
import { notMounted, parseMounts, placeOf } from "../../../src/kubelet/engine/mounted_paths.ts";
import { must } from "../../support/expected.ts";
import { test } from "../../support/test.ts";

const MOUNTS = parseMounts(`22 1 8:1 / / rw - ext4 /dev/sda1 rw
23 22 8:2 /@home /home rw - btrfs /dev/sda2 rw
24 22 8:3 / /home rw - ext4 /dev/sda3 rw
25 22 0:5 / /mnt/two\\040words rw - tmpfs tmpfs rw
26 22 8:1 /srv/data /data rw - ext4 /dev/sda1 rw
`);

test("A path is found in the file system that is mounted nearest above it, and last", () => {
  const cases: Record<string, string> = {
    "/var/x": "8:1 /var/x",
    "/homeless": "8:1 /homeless",
    "/home/me//./x/": "8:3 /me/x",
    "/mnt/two words/x": "0:5 /x",
    "/mnt/two words": "0:5 ",
    "/data/x": "8:1 /srv/data/x",
  };
  for (const [path, expected] of Object.entries(cases)) {
    const { device, root } = must(placeOf(path, MOUNTS));
    assertEquals(`${device} ${root}`, expected, path);
  }
});

test("A path that no mount is above, as in a chroot, is nowhere", () => {
  assertEquals(placeOf("/var/x", MOUNTS.slice(1)), undefined);
});

test("What is mounted where a process is counts, each mount once", () => {
  const [mounted = ""] = Deno.readTextFileSync("/proc/self/mountinfo").split("\n").map((line) => line.split(" ")[4]);
  assertEquals(notMounted([mounted], Deno.pid), undefined);
  assertEquals(notMounted([mounted, "/no/such/path"], Deno.pid), "/no/such/path");
});
