import process from "node:process";

/** What a process has used so far. */
export interface Usage {
  readonly cpuSeconds: number;
  readonly residentMb: number;
  readonly peakMb: number;
}

/** Returns what a process has used so far, from the kernel; memory in millions of bytes. */
export function usageOf(pid: number): Usage {
  const stat = Deno.readTextFileSync(`/proc/${pid}/stat`);
  const [user = NaN, system = NaN] = stat.slice(stat.lastIndexOf(")")).split(" ").slice(12, 14).map(Number);
  const status = Deno.readTextFileSync(`/proc/${pid}/status`);
  const megabytes = (key: string) => Number(new RegExp(`${key}:\\s+(\\d+)`).exec(status)![1]) * 0.001024;
  return { cpuSeconds: (user + system) / 100, residentMb: megabytes("VmRSS"), peakMb: megabytes("VmHWM") };
}

/** Returns the CPU time of this process so far, to the microsecond. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
