/**
 * Returns whether the kernel's log says that a process of a container was killed as the container's memory was used up.
 * Engines overlook it: podman's conmon on cgroup v1 does, and where the container ends at the same moment. Only some may
 * read that log; for others nothing is found.
 */
export async function wasKilledForMemory(containerId: string): Promise<boolean> {
  try {
    const { stdout } = await new Deno.Command("dmesg", { stdin: "null", stderr: "null" }).output();
    const lines = new TextDecoder().decode(stdout).split("\n");
    return lines.some((line) => line.includes("oom-kill:constraint=CONSTRAINT_MEMCG") && line.includes(containerId));
  } catch {
    // No dmesg on this machine, or none that may be run: no witness.
    return false;
  }
}
