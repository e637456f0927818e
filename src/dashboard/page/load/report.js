// @ts-check

/**
 * What of a simulation is shown.
 *
 * @typedef {{
 *   runs: number,
 *   peakStarts: { count: number, minute: string },
 *   peakActive: { count: number, at: string },
 *   peakCpu: { cores: number, at: string },
 *   peakMemory: { bytes: number, at: string },
 *   skipped: Readonly<Record<string, number>>,
 *   cells: { minutes: number, from: string, starts: readonly number[], active: readonly number[] },
 * }} LoadReport
 *
 * @typedef {{
 *   from: string,
 *   to: string,
 *   timeZone: string,
 *   cronJobs: { total: number, resting: number },
 *   durations: { measured: number, assumed: number, assumedSeconds: number },
 *   load: LoadReport,
 *   advice: readonly { schedule: string, count: number, instead: string, peakStarts: number }[],
 *   objects: readonly { apiVersion: string, namespace: string, name: string, schedule: string, durationSeconds: number, durationIsMeasured: boolean, runs: number, skipped: Readonly<Record<string, number>> }[],
 * }} Report
 */

export {};
