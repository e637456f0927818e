import type { Metrics } from "../../../src/telemetry/metrics.ts";

/** All that is shown, as Prometheus gets it. */
export async function exposed(metrics: Metrics): Promise<string> {
  return (await Array.fromAsync(metrics.expose())).join("");
}

/** The series in Prometheus' text format, by name with labels. A series that is there twice is an error. */
export function seriesOf(text: string): Record<string, number> {
  const series: Record<string, number> = {};
  for (const line of text.split("\n")) {
    if (line === "" || line.startsWith("#")) continue;
    const end = line.lastIndexOf(" ");
    const name = line.slice(0, end);
    if (Object.hasOwn(series, name)) throw new Error(`There twice: ${name}`);
    series[name] = Number(line.slice(end + 1));
  }
  return series;
}
