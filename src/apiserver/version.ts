/** The answer of `/version`: the Kubernetes whose behaviour the server has. */
export const VERSION_INFO = {
  major: "1",
  minor: "36",
  emulationMajor: "1",
  emulationMinor: "36",
  minCompatibilityMajor: "1",
  minCompatibilityMinor: "35",
  gitVersion: "v1.36.2",
  gitCommit: "cronjob-controller",
  gitTreeState: "clean",
  buildDate: "2026-01-01T00:00:00Z",
  goVersion: "none",
  compiler: "deno",
  platform: `${Deno.build.os}/${Deno.build.arch}`,
};
