import type { SimulationReport } from "../../simulate/report.ts";
import type { Format } from "./flags.ts";
import { formatCsv } from "./format_csv.ts";
import { formatSvg } from "./format_svg.ts";
import { formatText } from "./format_text.ts";

export interface FormatOptions {
  readonly output: Format;
  readonly ascii: boolean;
}

/** Returns the report in the format that was asked for. */
export function formatReport(report: SimulationReport, options: FormatOptions): string {
  return FORMATTERS[options.output](report, options);
}

const FORMATTERS: Record<Format, (report: SimulationReport, options: FormatOptions) => string> = {
  text: (report, { ascii }) => formatText(report, ascii ? "ascii" : "blocks"),
  json: (report) => JSON.stringify(report, null, 2),
  csv: formatCsv,
  svg: formatSvg,
};
