import { escapeXml } from "../shared/xml.ts";
import type { SimulationReport } from "../../simulate/report.ts";
import { fullTime } from "../../schedule/full_time.ts";
import { heatMapOf, levelOf, levelText } from "./heat_map.ts";

const CELL = 22;
const TOP = 60;
const LEFT = 90;

/** Returns the picture of starts. It says its numbers in words too, for those who don't see it. */
export function formatSvg(report: SimulationReport): string {
  const { columns, rows, levels } = heatMapOf(report);
  const width = LEFT + Math.max(columns.length * CELL, 420) + 20;
  const height = TOP + rows.length * CELL + 50;
  const from = fullTime(Date.parse(report.from), report.timeZone);
  const { peakStarts } = report.load;
  const title = `Starts of ${report.cronJobs.total} CronJobs from ${from}: ${report.load.runs} runs, ` +
    `${peakStarts.count} in the busiest minute, ${fullTime(Date.parse(peakStarts.minute), report.timeZone)}`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${escapeXml(title)}</title>`,
    STYLE,
    `<text x="10" y="22" class="head">${
      escapeXml(`${report.cronJobs.total} CronJobs, ${report.load.runs} runs`)
    }</text>`,
    ...columns.map((column, i) => text(LEFT + (i + 0.5) * CELL, TOP - 8, column, "middle")),
    ...rows.flatMap(({ label, cells }, row) => [
      text(LEFT - 8, TOP + (row + 0.7) * CELL, label, "end"),
      ...cells.flatMap((cell, column) => {
        if (!cell) return [];
        const was = cell.before === undefined || cell.before === cell.value ? "" : ` (was ${cell.before})`;
        const place = `x="${LEFT + column * CELL}" y="${TOP + row * CELL}" width="${CELL - 2}" height="${CELL - 2}"`;
        const words = `${label} ${cell.label}: ${cell.value}${was}`;
        return [`<rect ${place} class="l${levelOf(cell.value, levels)}"><title>${escapeXml(words)}</title></rect>`];
      }),
    ]),
    ...levels.flatMap((range, level) => {
      const x = LEFT + level * 80;
      const y = TOP + rows.length * CELL + 16;
      return [
        `<rect x="${x}" y="${y}" width="${CELL - 2}" height="${CELL - 2}" class="l${level}"/>`,
        text(x + CELL + 4, y + 15, levelText(range), "start"),
      ];
    }),
    "</svg>",
  ].join("\n");
}

const STYLE = `<style>
text { font: 12px sans-serif; fill: #333 } .head { font-weight: bold }
rect { stroke: #8888; stroke-width: 0.5 }
.l0 { fill: #f4f4f4 } .l1 { fill: #c6dbef } .l2 { fill: #6baed6 } .l3 { fill: #2171b5 } .l4 { fill: #08306b }
@media (prefers-color-scheme: dark) {
text { fill: #ddd } .l0 { fill: #1c1c1c } .l1 { fill: #123a5e } .l2 { fill: #2171b5 } .l3 { fill: #6baed6 } .l4 { fill: #deebf7 }
}
</style>`;

function text(x: number, y: number, words: string, anchor: "start" | "middle" | "end"): string {
  return `<text x="${x}" y="${y}" text-anchor="${anchor}">${escapeXml(words)}</text>`;
}
